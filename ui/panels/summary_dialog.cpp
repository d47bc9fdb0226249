// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/summary_dialog.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

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
    setCell(table, row, column, QLocale().toString(static_cast<qlonglong>(number)));
}

void fill(QTableWidget& table, const Graph& graph) {
    const std::vector<SummaryRow> rows = summarize(graph);
    table.setRowCount(static_cast<int>(rows.size()) + 1);
    int at = 0;
    for (const SummaryRow& row : rows) {
        setCell(table, at, 0, QString::fromStdString(row.layer));
        setCell(table, at, 1, QString::fromStdString(row.output));
        setNumber(table, at, 2, row.parameters);
        setNumber(table, at, 3, row.macs);
        ++at;
    }
    setCell(table, at, 0, SummaryDialog::tr("Total"));
    setCell(table, at, 1, {});
    setNumber(table, at, 2, graph.parameter_count());
    setNumber(table, at, 3, graph.macs());
    QFont bold = table.font();
    bold.setBold(true);
    for (int column = 0; column < table.columnCount(); ++column) {
        table.item(at, column)->setFont(bold);
    }
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
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

// Wide enough for all columns, high enough for up to 24 rows.
QSize sizeOfAll(const QTableWidget& table) {
    int width = 2 * table.frameWidth() + table.fontMetrics().averageCharWidth() * 4;
    for (int column = 0; column < table.columnCount(); ++column) {
        width += table.columnWidth(column);
    }
    const int rows = std::min(table.rowCount(), 24);
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
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* copy = buttons->addButton(tr("&Copy as text"), QDialogButtonBox::ActionRole);
    copy->setObjectName(QStringLiteral("copySummary"));
    connect(copy, &QPushButton::clicked, this, &SummaryDialog::copyText);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* layout = new QVBoxLayout(this);
    layout->addWidget(head);
    layout->addWidget(table, 1);
    layout->addWidget(buttons);
    const QSize wanted = sizeOfAll(*table);
    table->setMinimumWidth(wanted.width());
    const QMargins margins = layout->contentsMargins();
    resize(wanted.width() + margins.left() + margins.right(),
           wanted.height() + head->sizeHint().height() + buttons->sizeHint().height() +
               margins.top() + margins.bottom() + 2 * layout->spacing());
}

void SummaryDialog::copyText() const {
    QGuiApplication::clipboard()->setText(text_);
}

}  // namespace trainscope::ui
