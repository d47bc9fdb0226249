// SPDX-License-Identifier: GPL-3.0-or-later
// The look of every table of rows that are read and chosen whole.
#pragma once

#include <QHeaderView>
#include <QTableView>

namespace trainscope::ui {

inline void styleRows(QTableView& table) {
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setTabKeyNavigation(false);
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setWordWrap(false);
    table.verticalHeader()->hide();
    const int line = table.fontMetrics().height();
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.verticalHeader()->setDefaultSectionSize(line + line / 3);
    table.horizontalHeader()->setHighlightSections(false);
}

}  // namespace trainscope::ui
