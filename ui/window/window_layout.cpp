// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/window_layout.h"

#include <QDockWidget>
#include <QGuiApplication>
#include <QScreen>
#include <algorithm>

namespace trainscope::ui {

namespace {

constexpr int layoutVersion = 3;  // grows when docks or toolbars come, go or change their names
constexpr QSize comfortable(1440, 900);
// What has to be on a screen of a window's upper edge for a mouse to take hold of it.
constexpr int reachableWidth = 100;
constexpr int reachableHeight = 30;

}  // namespace

void saveLayout(QSettings& settings, const QMainWindow& window) {
    settings.setValue(QStringLiteral("window/geometry"), window.saveGeometry());
    settings.setValue(QStringLiteral("window/state"), window.saveState(layoutVersion));
}

bool restoreLayout(const QSettings& settings, QMainWindow& window) {
    const bool placed =
        window.restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    if (placed) {
        pullOntoScreen(window);
    }
    const bool arranged = window.restoreState(
        settings.value(QStringLiteral("window/state")).toByteArray(), layoutVersion);
    return placed && arranged;
}

void raiseFloatingDocks(const QMainWindow& window) {
    for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
        if (dock->isFloating() && dock->isVisible()) {
            dock->raise();
        }
    }
}

void firstSize(QMainWindow& window) {
    const QScreen* screen = QGuiApplication::primaryScreen();
    const QSize room = screen ? screen->availableSize() : comfortable;
    window.resize(comfortable.boundedTo(room));
    if (room.width() < comfortable.width() || room.height() < comfortable.height()) {
        window.setWindowState(window.windowState() | Qt::WindowMaximized);
    }
}

QRect pulledOnto(const QRect& frame, const QList<QRect>& screens) {
    const QRect edge(frame.topLeft(), QSize(frame.width(), reachableHeight));
    const QSize reach(std::min(reachableWidth, frame.width()), reachableHeight / 2);
    for (const QRect& screen : screens) {
        const QRect seen = screen.intersected(edge);
        if (seen.width() >= reach.width() && seen.height() >= reach.height()) {
            return frame;
        }
    }
    if (screens.isEmpty()) {
        return frame;
    }
    const QRect& home = screens.front();
    QRect moved(QPoint(0, 0), frame.size().boundedTo(home.size()));
    moved.moveCenter(home.center());
    return moved;
}

void pullOntoScreen(QMainWindow& window) {
    QList<QRect> screens;
    for (const QScreen* screen : QGuiApplication::screens()) {
        screens << screen->availableGeometry();
    }
    const QRect frame = window.frameGeometry();
    const QRect moved = pulledOnto(frame, screens);
    if (moved != frame) {
        const QSize border = frame.size() - window.size();
        window.resize(moved.size() - border);
        window.move(moved.topLeft());
    }
}

}  // namespace trainscope::ui
