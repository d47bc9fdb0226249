// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/export_result.h"

#include <algorithm>
#include <utility>

namespace trainscope::ui {

namespace {

// A message as what stands before its file's name, that name in quotes, and what stands behind.
struct Cause {
    std::string before;
    std::string file;  // empty: it names none
    std::string after;
    int more = 0;  // files beside that one
};

Cause causeOf(const ExportError& error) {
    const std::string name = "'" + error.file + "'";
    const std::size_t place = error.file.empty() ? std::string::npos : error.message.find(name);
    if (place == std::string::npos) {
        return {.before = error.message, .file = {}, .after = {}};
    }
    return {.before = error.message.substr(0, place),
            .file = name,
            .after = error.message.substr(place + name.size())};
}

}  // namespace

ExportResult ExportResult::failure(Error error) {
    ExportResult result;
    result.errors.push_back({std::move(error), {}});
    return result;
}

void ExportResult::add(const ExportResult& other) {
    files += other.files;
    charts_left_out = charts_left_out || other.charts_left_out;
    for (const ExportError& error : other.errors) {
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

std::vector<std::string> ExportResult::sentences() const {
    std::vector<Cause> causes;
    for (const ExportError& error : errors) {
        Cause cause = causeOf(error);
        const auto same = std::find_if(causes.begin(), causes.end(), [&](const Cause& other) {
            return cause.before == other.before && cause.after == other.after;
        });
        if (same != causes.end() && !cause.file.empty()) {
            ++same->more;
        } else {
            causes.push_back(std::move(cause));
        }
    }
    std::vector<std::string> texts;
    for (const Cause& cause : causes) {
        const std::string more = cause.more == 0 ? std::string()
                                                 : fmt::format(" and {} more file{}", cause.more,
                                                               cause.more == 1 ? "" : "s");
        texts.push_back(cause.before + cause.file + more + cause.after);
    }
    if (charts_left_out && !texts.empty()) {
        std::string& first = texts.front();
        first = first.substr(0, first.find_last_not_of('.') + 1) + "; charts were left out.";
    }
    return texts;
}

QString ExportResult::errorText() const {
    QStringList lines;
    for (const std::string& sentence : sentences()) {
        lines << QString::fromStdString(sentence);
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace trainscope::ui
