// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/log_panel.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTableView>
#include <algorithm>
#include <array>

#include "ui/panels/log_model.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/tone_label.h"

namespace trainscope::ui {

class LogPanel::Private {
  public:
    void build(LogPanel& panel);
    void refresh();
    void copy() const;

    LogModel model;
    QTableView* table = nullptr;
    QStackedLayout* stack = nullptr;
    bool follow = true;  // until the user scrolls away from the newest row

  private:
    void buildTable(LogPanel& panel);
};

void LogPanel::Private::build(LogPanel& panel) {
    auto* hint = new ToneLabel(Tone::quiet);
    hint->setObjectName(QStringLiteral("emptyLog"));
    hint->setText(tr("Every knob that is turned and every evaluation will be listed here."));
    hint->setAlignment(Qt::AlignCenter);
    hint->setMargin(hint->fontMetrics().height() / 2);
    buildTable(panel);
    stack = new QStackedLayout(&panel);
    stack->addWidget(hint);
    stack->addWidget(table);
}

void LogPanel::Private::buildTable(LogPanel& panel) {
    table = new QTableView;
    table->setObjectName(QStringLiteral("log"));
    table->setAccessibleName(tr("Log of the training"));
    table->setModel(&model);
    styleRows(*table);
    table->setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
    table->horizontalHeader()->setStretchLastSection(true);
    const int digit = table->fontMetrics().horizontalAdvance(QLatin1Char('0'));
    const std::array<int, LogModel::details> widths = {9, 11, 14, 22};
    for (int column = 0; column < LogModel::details; ++column) {
        table->setColumnWidth(column, widths[static_cast<std::size_t>(column)] * digit);
    }
    QScrollBar* bar = table->verticalScrollBar();
    connect(bar, &QScrollBar::rangeChanged, &panel, [this, bar] {
        if (follow) {
            bar->setValue(bar->maximum());
        }
    });
    connect(bar, &QScrollBar::valueChanged, &panel,
            [this, bar] { follow = bar->value() >= bar->maximum(); });
    auto* copyRows = new QAction(tr("&Copy"), table);
    copyRows->setObjectName(QStringLiteral("copyLog"));
    copyRows->setShortcut(QKeySequence::Copy);
    copyRows->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    table->addAction(copyRows);
    table->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copyRows, &QAction::triggered, &panel, [this] { copy(); });
    connect(table, &QTableView::activated, &panel, [this, &panel](const QModelIndex& index) {
        Q_EMIT panel.activated(model.stepOf(index.row()));
    });
}

void LogPanel::Private::refresh() {
    model.refresh();
    stack->setCurrentIndex(model.rowCount() > 0 ? 1 : 0);
}

// The selected rows, or all of them when none is.
void LogPanel::Private::copy() const {
    QModelIndexList selected = table->selectionModel()->selectedRows();
    std::sort(selected.begin(), selected.end());
    QStringList lines;
    if (selected.isEmpty()) {
        for (int row = 0; row < model.rowCount(); ++row) {
            lines << model.textOf(row);
        }
    }
    for (const QModelIndex& index : selected) {
        lines << model.textOf(index.row());
    }
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

LogPanel::LogPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>()) {
    d_->build(*this);
}

LogPanel::~LogPanel() {
    d_->table->setModel(nullptr);  // the model goes first
}

void LogPanel::setTelemetry(std::shared_ptr<const Telemetry> telemetry) {
    d_->model.setTelemetry(std::move(telemetry));
    d_->follow = true;
    d_->refresh();
}

void LogPanel::refresh() {
    d_->refresh();
}

}  // namespace trainscope::ui
