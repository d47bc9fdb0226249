// SPDX-License-Identifier: GPL-3.0-or-later
// What an export did.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "engine/core/result.h"

namespace trainscope::ui {

// What can be written is, whatever failed before it.
struct ExportResult {
    QStringList files;
    std::vector<Error> errors;  // io and invalid_argument; each names its file or field

    static ExportResult failure(Error error);
    // The same error of both, such as a folder that is gone, is kept once.
    void add(const ExportResult& other);
    bool cancelled() const;  // someone asked for no more
    // The errors in one text, a line each.
    QString errorText() const;
};

}  // namespace trainscope::ui
