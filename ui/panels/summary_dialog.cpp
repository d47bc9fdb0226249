// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/summary_dialog.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/number_text.h"
namespace trainscope::ui {

namespace {

void setCell(QTableWidget& table, int row, int column, const QString& text) {
    auto* item = new QTableWidgetItem(text);
    item->setFlags(Qt::ItemIsSelectable | Qt::ItemIsEnabled);
    if (column >= 2) {
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    table.setItem(row, column, item);
}

void setNumber(QTableWidget& table, int row, int column, std::int64_t number) {
    setCell(table, row, column, number == 0 ? QStringLiteral("\u2013") : countText(number));
}

void fill(QTableWidget& table, const Graph& graph) {
    const std::vector<SummaryRow> rows = summarize(graph);
    table.setRowCount(static_cast<int>(rows.size()));
    int at = 0;
    for (const SummaryRow& row : rows) {
        setCell(table, at, 0, QString::fromStdString(row.layer));
        setCell(table, at, 1, QString::fromStdString(row.output));
        setNumber(table, at, 2, row.parameters);
        setNumber(table, at, 3, row.macs);
        ++at;
    }
}

// Below the table, where it does not scroll away.
QLabel* makeTotals(const Graph& graph) {
    auto* totals =
        new QLabel(SummaryDialog::tr("Total: %1 parameters, %2 MACs a sample")
                       .arg(countText(graph.parameter_count()), countText(graph.macs())));
    totals->setObjectName(QStringLiteral("summaryTotals"));
    totals->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    QFont bold = totals->font();
    bold.setBold(true);
    totals->setFont(bold);
    return totals;
}
QTableWidget* makeTable(const Graph& graph) {
    auto* table = new QTableWidget(0, 4);
    table->setObjectName(QStringLiteral("summaryTable"));
    table->setAccessibleName(SummaryDialog::tr("Layers of the model"));
    table->setHorizontalHeaderLabels({SummaryDialog::tr("Layer"), SummaryDialog::tr("Output"),
                                      SummaryDialog::tr("Parameters"),
                                      SummaryDialog::tr("MACs a sample")});
    table->horizontalHeaderItem(1)->setToolTip(
        SummaryDialog::tr("Shape of what the layer gives; N is the micro-batch."));
    table->horizontalHeaderItem(3)->setToolTip(
        SummaryDialog::tr("Multiply-accumulates of one sample's forward pass. Backward takes "
                          "about twice as many."));
    table->verticalHeader()->hide();
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setAlternatingRowColors(true);
    table->setTabKeyNavigation(false);
    fill(*table, graph);
    const int line = table->fontMetrics().height();
    table->verticalHeader()->setDefaultSectionSize(line + line / 3);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->resizeColumnsToContents();
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    return table;
}

// Wide enough for all columns, high enough for up to 24 rows.
QSize sizeOfAll(const QTableWidget& table) {
    int width = 2 * table.frameWidth() + table.fontMetrics().averageCharWidth() * 4;
    for (int column = 0; column < table.columnCount(); ++column) {
        width += table.columnWidth(column);
    }
    const int rows = std::min(table.rowCount(), 26);
    const int height = 2 * table.frameWidth() + table.horizontalHeader()->sizeHint().height() +
                       rows * table.rowHeight(0);
    return {width, height};
}

}  // namespace

SummaryDialog::SummaryDialog(const Graph& graph, QWidget* parent)
    : QDialog(parent), text_(QString::fromStdString(summary_text(graph))) {
    setWindowTitle(tr("Model summary: %1").arg(QString::fromStdString(graph.name)));
    auto* head =
        new QLabel(tr("%1 for samples of %2, %n classes", nullptr, static_cast<int>(graph.classes))
                       .arg(QString::fromStdString(graph.name),
                            QString::fromStdString(graph.input.to_string())));
    head->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    QTableWidget* table = makeTable(graph);
    QLabel* totals = makeTotals(graph);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* copy = buttons->addButton(tr("&Copy as text"), QDialogButtonBox::ActionRole);
    copy->setObjectName(QStringLiteral("copySummary"));
    connect(copy, &QPushButton::clicked, this, &SummaryDialog::copyText);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* layout = new QVBoxLayout(this);
    layout->addWidget(head);
    layout->addWidget(table, 1);
    layout->addWidget(totals);
    layout->addWidget(buttons);
    const QSize wanted = sizeOfAll(*table);
    table->setMinimumWidth(wanted.width());
    const QMargins margins = layout->contentsMargins();
    resize(wanted.width() + margins.left() + margins.right(),
           wanted.height() + head->sizeHint().height() + buttons->sizeHint().height() +
               totals->sizeHint().height() + margins.top() + margins.bottom() +
               3 * layout->spacing());
}

void SummaryDialog::copyText() const {
    QGuiApplication::clipboard()->setText(text_);
}

}  // namespace trainscope::ui
