// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window.h"

#include <fmt/format.h>

#include <QApplication>
#include <QStyle>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "app/command_line/settings.h"
#include "engine/core/build_info.h"
#include "ui/main_window.h"
#include "ui/theme/palette.h"

namespace trainscope {

namespace {

constexpr const char* no_display =
    "trainscope: there is no display to open a window on; 'trainscope train' works without one "
    "('trainscope train --help').\n";

constexpr std::chrono::milliseconds closing_patience{300};

bool has_display() {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        if (!qEnvironmentVariableIsEmpty(name)) {
            return true;
        }
    }
    return false;
}

// A display that is named but does not answer ends Qt with an abort; say what it means instead.
void on_start_message(QtMsgType type, const QMessageLogContext& /*context*/, const QString& text) {
    if (type == QtFatalMsg) {
        fmt::print(stderr, "{}", no_display);
        std::_Exit(command_line::exit_error);
    }
    if (type == QtCriticalMsg) {
        fmt::print(stderr, "{}\n", text.toStdString());
    }
}

}  // namespace

int run_window(const command_line::Arguments& arguments, int argc, char** argv) {
    if (!has_display()) {
        fmt::print(stderr, "{}", no_display);
        return command_line::exit_error;
    }
    const QtMessageHandler usual = qInstallMessageHandler(on_start_message);
    const QApplication application(argc, argv);
    qInstallMessageHandler(usual);
    // Our own colours, light or dark as the desktop is; a desktop with a style of its own keeps it.
    if (QApplication::style()->name().compare(QLatin1String("fusion"), Qt::CaseInsensitive) == 0) {
        QApplication::setPalette(ui::applicationPalette(ui::colorsFor(QApplication::palette())));
    }
    QApplication::setApplicationName(QStringLiteral("trainscope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Trainscope"));
    QApplication::setOrganizationName(QStringLiteral("trainscope"));
    QApplication::setApplicationVersion(QString::fromStdString(build_info().version));

    ui::MainWindowOptions options;
    options.autostart = arguments.autostart;
    options.closingPatience = closing_patience;
    if (!arguments.changes.empty()) {
        const auto last_used = ui::loadRunSettings(*ui::openSettings({}));
        auto run = command_line::settle(arguments, last_used);
        if (!run) {
            fmt::print(stderr, "trainscope: {}\n", run.error().message);
            return command_line::exit_error;
        }
        options.run = std::move(*run);
    }
    ui::MainWindow window(std::move(options));
    window.show();
    const int exit_code = QApplication::exec();
    if (!window.quiet()) {
        // One layer of a huge batch may compute for seconds more, and nobody waits for what comes
        // of it: settings and exports are written.
        std::fflush(nullptr);
        std::_Exit(exit_code);
    }
    return exit_code;
}

}  // namespace trainscope
