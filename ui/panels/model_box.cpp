// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/model_box.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>

#include "engine/model/model_spec.h"
#include "ui/widgets/field_grid.h"
#include "ui/widgets/tone_label.h"

namespace trainscope::ui {

ModelBox::ModelBox(QWidget* parent)
    : QGroupBox(tr("Model"), parent),
      model_(new QComboBox),
      description_(new ToneLabel(Tone::quiet)) {
    QGridLayout* grid = makeFieldGrid(this);
    model_->setObjectName(QStringLiteral("model"));
    // The name of a file may be of any length; its tool tip has all of it.
    model_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    model_->setMinimumContentsLength(12);
    for (const ModelSpec& preset : model_presets()) {
        const QString name = QString::fromStdString(preset.name);
        model_->addItem(name, name);
        model_->setItemData(model_->count() - 1, QString::fromStdString(preset.description),
                            Qt::ToolTipRole);
    }
    addField(*grid, makeLabel(tr("&Model"), model_, tr("The network that learns.")), model_);
    description_->setObjectName(QStringLiteral("modelDescription"));
    addWide(*grid, description_);

    auto* buttons = new QWidget;
    auto* row = new QHBoxLayout(buttons);
    row->setContentsMargins({});
    auto* file = new QPushButton(tr("From f&ile\u2026"));
    file->setObjectName(QStringLiteral("modelFromFile"));
    file->setToolTip(tr("Read a model from a JSON file that lists its layers."));
    auto* summary = new QPushButton(tr("S&ummary\u2026"));
    summary->setObjectName(QStringLiteral("modelSummary"));
    summary->setToolTip(tr("Show the layers with shapes, parameters and multiply-accumulates."));
    row->addWidget(file, 1);
    row->addWidget(summary, 1);
    addWide(*grid, buttons);

    connect(model_, &QComboBox::activated, this, [this] {
        showDescription();
        Q_EMIT changed();
    });
    connect(file, &QPushButton::clicked, this, &ModelBox::browse);
    connect(summary, &QPushButton::clicked, this, &ModelBox::summaryRequested);
    showDescription();
}

void ModelBox::setModel(const std::string& presetOrFile) {
    const QString model = QString::fromStdString(presetOrFile);
    int at = model_->findData(model);
    if (at < 0) {
        model_->addItem(QFileInfo(model).fileName(), model);
        at = model_->count() - 1;
        model_->setItemData(at, model, Qt::ToolTipRole);
    }
    model_->setCurrentIndex(at);
    showDescription();
}

std::string ModelBox::model() const {
    return model_->currentData().toString().toStdString();
}

void ModelBox::browse() {
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Model from a file"), QFileInfo(model_->currentData().toString()).absolutePath(),
        tr("Models (*.json);;All files (*)"));
    if (!file.isEmpty()) {
        setModel(file.toStdString());
        Q_EMIT changed();
    }
}

void ModelBox::showDescription() {
    description_->setText(model_->itemData(model_->currentIndex(), Qt::ToolTipRole).toString());
}

}  // namespace trainscope::ui
