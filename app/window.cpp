// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window.h"

#include <QApplication>
#include <QSocketNotifier>
#include <QStyle>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "app/command_line/say.h"
#include "app/command_line/settings.h"
#include "app/interrupt.h"
#include "engine/core/build_info.h"
#include "ui/main_window.h"
#include "ui/theme/palette.h"

namespace trainscope {

namespace {

constexpr const char* no_display =
    "there is no display to open a window on; 'trainscope train' works without one ('trainscope "
    "train --help').";

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
        command_line::say_error("{}", no_display);
        std::_Exit(command_line::exit_error);
    }
    if (type == QtCriticalMsg) {
        command_line::say_error("{}", text.toStdString());
    }
}

// Ctrl-C, a terminal that went away, or the end of the session, is as if the user had closed the
// window.
void close_when_interrupted(ui::MainWindow& window) {
    const int file = catch_interrupts();
    if (file < 0) {
        return;
    }
    auto* notifier = new QSocketNotifier(file, QSocketNotifier::Read, &window);
    QObject::connect(notifier, &QSocketNotifier::activated, &window, [notifier] {
        notifier->setEnabled(false);
        QApplication::closeAllWindows();  // an open dialog first, or it would keep the program
    });
}

}  // namespace

int run_window(const command_line::Arguments& arguments, int argc, char** argv) {
    if (!has_display()) {
        command_line::say_error("{}", no_display);
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
    auto settled =
        command_line::settle_window(arguments, ui::loadRunSettings(*ui::openSettings({})));
    if (!settled) {
        return command_line::say_failure(settled.error());
    }
    options.run = std::move(settled->run);
    options.message = QString::fromStdString(settled->fallback);
    ui::MainWindow window(std::move(options));
    close_when_interrupted(window);
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
