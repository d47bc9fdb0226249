// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/export_result.h"

#include <algorithm>
#include <utility>

namespace trainscope::ui {

ExportResult ExportResult::failure(Error error) {
    ExportResult result;
    result.errors.push_back(std::move(error));
    return result;
}

void ExportResult::add(const ExportResult& other) {
    files += other.files;
    for (const Error& error : other.errors) {
        if (std::none_of(errors.begin(), errors.end(),
                         [&](const Error& mine) { return mine.message == error.message; })) {
            errors.push_back(error);
        }
    }
}

bool ExportResult::cancelled() const {
    return std::any_of(errors.begin(), errors.end(),
                       [](const Error& error) { return error.code == ErrorCode::cancelled; });
}

QString ExportResult::errorText() const {
    QStringList lines;
    for (const Error& error : errors) {
        lines << QString::fromStdString(error.message);
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace trainscope::ui
