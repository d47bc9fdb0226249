// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/shortcut_priority.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <algorithm>

namespace trainscope::ui {

ShortcutPriority::ShortcutPriority(QMainWindow* window) : QObject(window), window_(window) {
    QCoreApplication::instance()->installEventFilter(this);
}

// In the window or a floating dock of it, and not in a dialog or menu.
bool ShortcutPriority::holds(const QObject* watched) const {
    if (QApplication::activeModalWidget() != nullptr ||
        QApplication::activePopupWidget() != nullptr) {
        return false;
    }
    while (watched != nullptr && watched != window_) {
        watched = watched->isWidgetType() ? watched->parent() : nullptr;
    }
    return watched != nullptr;
}

bool ShortcutPriority::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && holds(watched)) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const QList<QAction*> actions = window_->actions();
        const bool ours = std::any_of(actions.begin(), actions.end(), [&](const QAction* action) {
            return action->isEnabled() && action->shortcuts().contains(key->keyCombination());
        });
        if (ours) {
            event->ignore();  // nobody overrides the shortcut
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace trainscope::ui
