// SPDX-License-Identifier: GPL-3.0-or-later
// What an export did.
#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace trainscope::ui {

struct ExportError : Error {  // io or invalid_argument; the message names the file or field
    std::string file;         // that it is about; empty: none
};

struct ExportResult {
    QStringList files;
    std::vector<ExportError> errors;
    bool charts_left_out = false;  // because a log beside them could not be written

    static ExportResult failure(Error error);
    // The same error of both, such as a folder that is gone, is kept once.
    void add(const ExportResult& other);
    bool cancelled() const;  // someone asked for no more
    // What to say of the errors: one sentence for all files that the same cause kept from being
    // written, naming the first.
    std::vector<std::string> sentences() const;
    // They in one text, a line each.
    QString errorText() const;
};

}  // namespace trainscope::ui
