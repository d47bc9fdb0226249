// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/setup_panel.h"

#include <QComboBox>
#include <QGroupBox>
#include <QLineEdit>
#include <QRegularExpressionValidator>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/core/device.h"
#include "engine/model/memory_plan.h"
#include "ui/panels/dataset_box.h"
#include "ui/panels/model_box.h"
#include "ui/widgets/field_grid.h"
#include "ui/widgets/panel_scroll.h"
#include "ui/widgets/spins.h"
#include "ui/widgets/tone_label.h"

namespace trainscope::ui {

namespace {

constexpr int largestEpochs = 999'999;

// 0 stands for these words.
QSpinBox* makeSpinWithZero(const char* name, int most, const QString& zero) {
    QSpinBox* spin = makeSpin(name, 0, most);
    spin->setSpecialValueText(zero);
    return spin;
}

void showCount(QSpinBox& spin, std::int64_t value) {
    const QSignalBlocker quiet(spin);
    spin.setValue(static_cast<int>(std::clamp<std::int64_t>(value, 0, spin.maximum())));
}

}  // namespace

class SetupPanel::Private {
  public:
    explicit Private(SetupPanel& panel) : panel_(panel) {}

    void build();
    void showRun(const RunSettings& run);
    void write(RunSettings& run) const;

    ToneLabel* locked = nullptr;
    DatasetBox* dataset = nullptr;

  private:
    QWidget* makeRunBox();
    void addDevice(QGridLayout& grid);
    void addSeed(QGridLayout& grid);
    void addEpochs(QGridLayout& grid);
    void showDevice();

    SetupPanel& panel_;
    ModelBox* model_ = nullptr;
    QComboBox* device_ = nullptr;
    ToneLabel* deviceDescription_ = nullptr;
    QSpinBox* threads_ = nullptr;
    QLineEdit* seed_ = nullptr;
    QSpinBox* epochs_ = nullptr;
};

void SetupPanel::Private::build() {
    dataset = new DatasetBox;
    model_ = new ModelBox;
    locked = new ToneLabel(Tone::quiet);
    locked->setObjectName(QStringLiteral("appliesToNextStart"));
    locked->setText(tr("A training runs: what is chosen here applies to the next start."));
    locked->hide();

    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->addWidget(locked);
    layout->addWidget(dataset);
    layout->addWidget(model_);
    layout->addWidget(makeRunBox());
    layout->addStretch(1);
    auto* outer = new QVBoxLayout(&panel_);
    outer->setContentsMargins({});
    outer->addWidget(new PanelScroll(page));

    connect(dataset, &DatasetBox::changed, &panel_, &SetupPanel::changed);
    connect(model_, &ModelBox::changed, &panel_, &SetupPanel::changed);
    connect(model_, &ModelBox::summaryRequested, &panel_, &SetupPanel::summaryRequested);
}

QWidget* SetupPanel::Private::makeRunBox() {
    auto* box = new QGroupBox(tr("Run"));
    QGridLayout* grid = makeFieldGrid(box);
    addDevice(*grid);
    addSeed(*grid);
    addEpochs(*grid);
    return box;
}

void SetupPanel::Private::addDevice(QGridLayout& grid) {
    device_ = new QComboBox;
    device_->setObjectName(QStringLiteral("device"));
    const std::vector<DeviceInfo> devices = list_devices();
    const QString best = QString::fromStdString(devices.front().description);
    device_->addItem(tr("automatic"), QStringLiteral("auto"));
    device_->setItemData(0, tr("The best of this machine: %1").arg(best), Qt::ToolTipRole);
    for (const DeviceInfo& device : devices) {
        const QString id = QString::fromStdString(device.id);
        device_->addItem(id, id);
        device_->setItemData(device_->count() - 1, QString::fromStdString(device.description),
                             Qt::ToolTipRole);
    }
    addField(grid, makeLabel(tr("D&evice"), device_, tr("Where the network is trained.")), device_);
    deviceDescription_ = new ToneLabel(Tone::quiet);
    deviceDescription_->setObjectName(QStringLiteral("deviceDescription"));
    addWide(grid, deviceDescription_);
    threads_ = makeSpinWithZero("threads", most_threads, tr("all (%1)").arg(cpu_device().threads));
    addField(grid,
             makeLabel(tr("&Threads"), threads_,
                       tr("How many threads compute. With one, the same seed gives the same "
                          "numbers to the bit.")),
             threads_);
    connect(device_, &QComboBox::activated, &panel_, [this] {
        showDevice();
        Q_EMIT panel_.changed();
    });
    connect(threads_, &QSpinBox::valueChanged, &panel_, &SetupPanel::changed);
}

void SetupPanel::Private::addSeed(QGridLayout& grid) {
    seed_ = new QLineEdit;
    seed_->setObjectName(QStringLiteral("seed"));
    seed_->setValidator(
        new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{1,19}")), seed_));
    addField(grid,
             makeLabel(tr("&Seed"), seed_,
                       tr("Begins every random choice: first weights, order of the samples, "
                          "generated data. The same seed repeats a run.")),
             seed_);
    connect(seed_, &QLineEdit::editingFinished, &panel_, [this] {
        if (seed_->isModified()) {
            seed_->setModified(false);
            Q_EMIT panel_.changed();
        }
    });
}

void SetupPanel::Private::addEpochs(QGridLayout& grid) {
    epochs_ = makeSpinWithZero("epochs", largestEpochs, tr("until stopped"));
    addField(grid,
             makeLabel(tr("E&pochs"), epochs_,
                       tr("How often all train samples are used. 0: until you stop it.")),
             epochs_);
    connect(epochs_, &QSpinBox::valueChanged, &panel_, &SetupPanel::changed);
}

void SetupPanel::Private::showRun(const RunSettings& run) {
    dataset->setOptions(run.dataset);
    model_->setModel(run.model);
    const QString device = QString::fromStdString(run.device);
    if (device_->findData(device) < 0) {
        device_->addItem(device, device);
        device_->setItemData(device_->count() - 1, tr("This machine does not have it."),
                             Qt::ToolTipRole);
    }
    device_->setCurrentIndex(device_->findData(device));
    showCount(*threads_, run.threads);
    seed_->setText(QString::number(run.seed));
    showCount(*epochs_, run.epochs);
    showDevice();
}

void SetupPanel::Private::write(RunSettings& run) const {
    for (QSpinBox* spin : {threads_, epochs_}) {
        spin->interpretText();
    }
    bool right = false;
    const qulonglong seed = seed_->text().toULongLong(&right);
    run.seed = right ? seed : run.seed;
    dataset->writeTo(run.dataset);
    run.dataset.seed = run.seed;
    run.model = model_->model();
    run.device = device_->currentData().toString().toStdString();
    run.threads = threads_->value();
    run.epochs = epochs_->value();
}

void SetupPanel::Private::showDevice() {
    deviceDescription_->setText(
        device_->itemData(device_->currentIndex(), Qt::ToolTipRole).toString());
}

SetupPanel::SetupPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>(*this)) {
    d_->build();
    d_->showRun({});
}
SetupPanel::~SetupPanel() = default;

void SetupPanel::setRun(const RunSettings& run) {
    d_->showRun(run);
}

void SetupPanel::writeTo(RunSettings& run) const {
    d_->write(run);
}

void SetupPanel::setClassNames(const std::vector<std::string>& names) {
    d_->dataset->setClassNames(names);
}

void SetupPanel::setLocked(bool running) {
    d_->locked->setVisible(running);
}

}  // namespace trainscope::ui
