// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window.h"

namespace trainscope::ui {

class MainWindow::Implementation {};

MainWindow::MainWindow(MainWindowOptions /*options*/) {
    setWindowTitle(tr("Trainscope"));
    resize(1280, 800);
}
MainWindow::~MainWindow() = default;

}  // namespace trainscope::ui
