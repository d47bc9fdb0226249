// SPDX-License-Identifier: GPL-3.0-or-later
// What the Help menu shows.
#pragma once

#include <QDialog>

namespace trainscope::ui {

// The keys of all actions of a window, in the order of its menus, and those of a chart.
class ShortcutsDialog : public QDialog {
    Q_OBJECT

  public:
    explicit ShortcutsDialog(const QWidget& window, QWidget* parent = nullptr);
};

// Versions of program and libraries, as they stand in every log, and the licence.
class AboutDialog : public QDialog {
    Q_OBJECT

  public:
    explicit AboutDialog(QWidget* parent = nullptr);
};

}  // namespace trainscope::ui
