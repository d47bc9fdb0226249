// SPDX-License-Identifier: GPL-3.0-or-later
// The icons of resources/icons, drawn in the palette's text colour, whatever that is by now.
#pragma once

#include <QIcon>
#include <QString>

namespace trainscope::ui {

QIcon themedIcon(const char* name);  // "start"
QIcon programIcon();                 // in its own colours

}  // namespace trainscope::ui
