// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/operators_panel.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <array>
#include <utility>

#include "ui/number_text.h"
#include "ui/panels/operator_model.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/tone_label.h"

namespace trainscope::ui {

class OperatorsPanel::Private {
  public:
    void build(OperatorsPanel& panel);
    void showSentence();

    std::shared_ptr<const Telemetry> telemetry;
    bool emulated = false;
    std::size_t rows = 0, annotations = 0;  // of the telemetry, when it was last read
    std::map<std::string, std::string> variants;
    OperatorModel model;
    QSortFilterProxyModel sorted;
    ToneLabel* sentence = nullptr;
    QTableView* table = nullptr;

  private:
    void buildTable();
};

void OperatorsPanel::Private::buildTable() {
    sorted.setSourceModel(&model);
    sorted.setSortRole(OperatorModel::sortRole);
    table = new QTableView;
    table->setObjectName(QStringLiteral("operators"));
    table->setAccessibleName(OperatorsPanel::tr("Times of the layers"));
    table->setModel(&sorted);
    table->setSortingEnabled(true);
    sorted.sort(-1);  // as the model has them, until a header is clicked
    table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    styleRows(*table);
    table->horizontalHeader()->setStretchLastSection(true);
    const int digit = table->fontMetrics().horizontalAdvance(QLatin1Char('0'));
    const std::array<int, OperatorModel::columns> widths = {13, 13, 12, 9, 10, 8, 9, 8};
    for (int column = 0; column < OperatorModel::columns; ++column) {
        table->setColumnWidth(column, widths[static_cast<std::size_t>(column)] * digit);
    }
}

void OperatorsPanel::Private::build(OperatorsPanel& panel) {
    auto* column = new QVBoxLayout(&panel);
    column->setContentsMargins(6, 4, 6, 4);
    column->setSpacing(4);
    sentence = new ToneLabel(Tone::quiet);
    sentence->setObjectName(QStringLiteral("operatorsSentence"));
    column->addWidget(sentence);
    buildTable();
    column->addWidget(table, 1);
    showSentence();
}

void OperatorsPanel::Private::showSentence() {
    const OperatorsSummary& summary = model.summary();
    QStringList parts;
    if (telemetry == nullptr || rows == 0) {
        parts << OperatorsPanel::tr(
            "What each layer takes is measured a few times a second while a training runs.");
    } else if (summary.rows_now == 0) {
        parts << OperatorsPanel::tr("Not measured yet since %1.")
                     .arg(QString::fromStdString(summary.knob));
    } else {
        parts << OperatorsPanel::tr("All layers: %1 for a micro-batch.")
                     .arg(timeText(summary.seconds));
        if (!summary.knob.empty()) {
            parts << OperatorsPanel::tr("Last knob: %1.").arg(QString::fromStdString(summary.knob));
        }
    }
    if (emulated) {
        parts << OperatorsPanel::tr("Emulation: these times say nothing of a GPU.");
    }
    sentence->setText(parts.join(QLatin1Char(' ')));
}

OperatorsPanel::OperatorsPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>()) {
    d_->build(*this);
}

OperatorsPanel::~OperatorsPanel() {
    d_->table->setModel(nullptr);  // the models go first
}

void OperatorsPanel::setTelemetry(std::shared_ptr<const Telemetry> telemetry, bool emulated) {
    d_->telemetry = std::move(telemetry);
    d_->emulated = emulated;
    d_->rows = d_->annotations = 0;
    d_->model.show({}, {});
    d_->showSentence();
}

void OperatorsPanel::refresh(const std::map<std::string, std::string>& variants) {
    if (d_->telemetry == nullptr) {
        return;
    }
    const std::size_t rows = d_->telemetry->operator_times().rows();
    const std::size_t annotations = d_->telemetry->annotation_count();
    if (rows == d_->rows && annotations == d_->annotations && variants == d_->variants) {
        return;
    }
    d_->rows = rows;
    d_->annotations = annotations;
    d_->variants = variants;
    if (rows > 0) {
        d_->model.show(summarizeOperators(*d_->telemetry), variants);
    }
    d_->showSentence();
}

}  // namespace trainscope::ui
