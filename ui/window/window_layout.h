// SPDX-License-Identifier: GPL-3.0-or-later
// Where the window and its panels are, from one start to the next.
#pragma once

#include <QMainWindow>
#include <QRect>
#include <QSettings>

namespace trainscope::ui {

void saveLayout(QSettings& settings, const QMainWindow& window);
// False: nothing was remembered, or it is of another version of the layout.
bool restoreLayout(const QSettings& settings, QMainWindow& window);
// A size for the first time: comfortable, or the whole of a small screen.
void firstSize(QMainWindow& window);
// Moves a window onto a screen that is there, where its title bar could not be reached otherwise.
void pullOntoScreen(QMainWindow& window);
// Those that float come up over their window.
void raiseFloatingDocks(const QMainWindow& window);
// Where a window of `frame` should be so that it can be reached on one of `screens` (the first is
// the main one). Unchanged where it can be.
QRect pulledOnto(const QRect& frame, const QList<QRect>& screens);

}  // namespace trainscope::ui
