// SPDX-License-Identifier: GPL-3.0-or-later
// Labels and fields in two columns, as all panels have them.
#pragma once

#include <QGridLayout>
#include <QLabel>
#include <QString>
#include <QWidget>

namespace trainscope::ui {

// The grid of `parent`, whose second column takes what room there is.
inline QGridLayout* makeFieldGrid(QWidget* parent) {
    auto* grid = new QGridLayout(parent);
    grid->setColumnStretch(1, 1);
    return grid;
}

// A label with its mnemonic for a control, which may stand within `field`.
inline QLabel* makeLabel(const QString& text, QWidget* control, const QString& toolTip) {
    auto* label = new QLabel(text);
    label->setBuddy(control);
    label->setToolTip(toolTip);
    control->setToolTip(toolTip);
    control->setAccessibleName(QString(text).remove(QLatin1Char('&')));
    return label;
}

inline void addField(QGridLayout& grid, QLabel* label, QWidget* field) {
    const int row = grid.rowCount();
    grid.addWidget(label, row, 0);
    grid.addWidget(field, row, 1);
}

inline void addWide(QGridLayout& grid, QWidget* widget) {
    grid.addWidget(widget, grid.rowCount(), 0, 1, 2);
}

}  // namespace trainscope::ui
