// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/dataset_box.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/data/limits.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/field_grid.h"
#include "ui/widgets/spins.h"
#include "ui/widgets/tone_label.h"

namespace trainscope::ui {

namespace {

constexpr int largestSide = 4096;
constexpr auto largestClasses = static_cast<int>(most_random_classes);
constexpr int largestLimit = 99'999'999;
constexpr std::array<int, 3> randomShape = {3, 32, 32};

int clamped(std::int64_t value, int most) {
    return static_cast<int>(std::clamp<std::int64_t>(value, 0, most));
}

}  // namespace

DatasetBox::DatasetBox(QWidget* parent) : QGroupBox(tr("Data"), parent) {
    makeFieldGrid(this);
    buildKind();
    buildFolder();
    buildSample();
    buildRandom();
    buildLimits();
    setOptions({});
}

void DatasetBox::addRow(QLabel* label, QWidget* field) {
    addField(*static_cast<QGridLayout*>(layout()), label, field);
}

void DatasetBox::buildKind() {
    kind_ = new QComboBox;
    kind_->setObjectName(QStringLiteral("dataset"));
    for (const DatasetKind& kind : dataset_kinds()) {
        kind_->addItem(QString::fromStdString(kind.title), QString::fromStdString(kind.name));
        kind_->setItemData(kind_->count() - 1, QString::fromStdString(kind.description),
                           Qt::ToolTipRole);
    }
    addRow(makeLabel(tr("&Data set"), kind_, tr("What the network learns from.")), kind_);
    description_ = new ToneLabel(Tone::quiet);
    description_->setObjectName(QStringLiteral("datasetDescription"));
    addWide(*static_cast<QGridLayout*>(layout()), description_);
    connect(kind_, &QComboBox::activated, this, &DatasetBox::kindChosen);
}

void DatasetBox::buildFolder() {
    folderField_ = new QWidget;
    auto* rows = new QVBoxLayout(folderField_);
    rows->setContentsMargins({});
    auto* row = new QHBoxLayout;
    rows->addLayout(row);
    folder_ = new QLineEdit;
    folder_->setObjectName(QStringLiteral("datasetFolder"));
    folder_->setPlaceholderText(tr("folder of its files"));
    auto* browse = new QPushButton(tr("Bro&wse\u2026"));
    browse->setObjectName(QStringLiteral("browseDataset"));
    browse->setToolTip(tr("Choose the folder that holds the files of the data set."));
    row->addWidget(
        makeLabel(tr("Folder"), folder_, tr("The folder that holds the files of the data set.")));
    row->addStretch(1);
    row->addWidget(browse);
    rows->addWidget(folder_);  // paths are long
    addWide(*static_cast<QGridLayout*>(layout()), folderField_);
    setTabOrder(folder_, browse);
    connect(folder_, &QLineEdit::editingFinished, this, [this] {
        if (folder_->isModified()) {
            folder_->setModified(false);
            Q_EMIT changed();
        }
    });
    connect(browse, &QPushButton::clicked, this, &DatasetBox::browse);
}

void DatasetBox::buildSample() {
    resize_ = new QCheckBox(tr("Resi&ze the pictures"));
    resize_->setObjectName(QStringLiteral("resizePictures"));
    resize_->setToolTip(tr("To the size below. Otherwise all get the size of the first one."));
    addWide(*static_cast<QGridLayout*>(layout()), resize_);
    connect(resize_, &QCheckBox::clicked, this, [this] {
        showKind();
        Q_EMIT changed();
    });
    sample_ = new QWidget;
    QGridLayout* grid = makeFieldGrid(sample_);
    grid->setContentsMargins({});
    auto* shapeField = new QWidget;
    auto* row = new QHBoxLayout(shapeField);
    row->setContentsMargins({});
    row->setSpacing(row->spacing() / 2);
    const std::array<QString, 3> names = {tr("Channels"), tr("Height"), tr("Width")};
    for (std::size_t i = 0; i < shape_.size(); ++i) {
        shape_[i] = makeSpin("sampleSize", 1, largestSide);
        shape_[i]->setObjectName(QStringLiteral("sampleSize%1").arg(i));
        shape_[i]->setGroupSeparatorShown(false);
        // Three of them stand side by side: the arrow keys do what the arrows did.
        shape_[i]->setButtonSymbols(QAbstractSpinBox::NoButtons);
        if (i > 0) {
            row->addWidget(new QLabel(QStringLiteral("\u00d7")));
        }
        row->addWidget(shape_[i], 1);
        connect(shape_[i], &QSpinBox::valueChanged, this, &DatasetBox::changed);
    }
    addField(*grid, makeLabel(tr("Sample"), shape_[0], tr("Channels \u00d7 height \u00d7 width.")),
             shapeField);
    for (std::size_t i = 0; i < shape_.size(); ++i) {
        shape_[i]->setAccessibleName(names[i]);
        shape_[i]->setToolTip(names[i]);
    }
    addWide(*static_cast<QGridLayout*>(layout()), sample_);
}

void DatasetBox::buildRandom() {
    random_ = new QWidget;
    QGridLayout* grid = makeFieldGrid(random_);
    grid->setContentsMargins({});
    classes_ = makeSpin("classes", 2, largestClasses);
    addField(*grid, makeLabel(tr("Classes"), classes_, tr("How many labels there are.")), classes_);
    soft_ = new QCheckBox(tr("Soft labels"));
    soft_->setObjectName(QStringLiteral("softLabels"));
    soft_->setToolTip(tr("A probability for each class in place of one class a sample."));
    grid->addWidget(soft_, grid->rowCount(), 1);
    addWide(*static_cast<QGridLayout*>(layout()), random_);
    connect(classes_, &QSpinBox::valueChanged, this, &DatasetBox::changed);
    connect(soft_, &QCheckBox::clicked, this, &DatasetBox::changed);
}

void DatasetBox::buildLimits() {
    train_ = makeSpin("trainLimit", 0, largestLimit);
    test_ = makeSpin("testLimit", 0, largestLimit);
    addRow(makeLabel(tr("Train samples"), train_,
                     tr("At most so many samples are trained on. 0: as many as there are.")),
           train_);
    addRow(makeLabel(tr("Test samples"), test_,
                     tr("At most so many samples are evaluated. 0: as many as there are.")),
           test_);
    connect(train_, &QSpinBox::valueChanged, this, &DatasetBox::changed);
    connect(test_, &QSpinBox::valueChanged, this, &DatasetBox::changed);
    classNames_ = new ElidedLabel;
    classNames_->setObjectName(QStringLiteral("classNames"));
    classNames_->hide();
    addWide(*static_cast<QGridLayout*>(layout()), classNames_);
}

void DatasetBox::setClassNames(const std::vector<std::string>& names) {
    constexpr std::size_t mostNamed = 500;
    QStringList named;
    for (std::size_t i = 0; i < std::min(names.size(), mostNamed); ++i) {
        named << QString::fromStdString(names[i]);
    }
    if (names.size() > mostNamed) {
        named << QStringLiteral("\u2026");
    }
    const QString all = named.join(QStringLiteral(", "));
    classNames_->setText(tr("%1 classes: %2").arg(names.size()).arg(all));
    // As rich text, which is broken into lines.
    classNames_->setToolTip(QStringLiteral("<p>%1</p>").arg(all.toHtmlEscaped()));
    classNames_->setVisible(!names.empty());
}

bool DatasetBox::choosesShape() const {
    return kind().takes_sample && (!mayResize() || resize_->isChecked());
}

bool DatasetBox::mayResize() const {
    return kind().takes_sample && kind().needs_folder;
}

const DatasetKind& DatasetBox::kind() const {
    return dataset_kinds().at(static_cast<std::size_t>(std::max(0, kind_->currentIndex())));
}

QString DatasetBox::folder() const {
    const QString text = folder_->text().trimmed();
    if (text.startsWith(QStringLiteral("file://"))) {  // dropped from a file manager
        return QUrl(text).toLocalFile();
    }
    return text.startsWith(QStringLiteral("~/")) ? QDir::homePath() + text.mid(1) : text;
}

void DatasetBox::setOptions(const DatasetOptions& options) {
    const std::array<QSignalBlocker, 6> quiet = {
        QSignalBlocker(shape_[0]), QSignalBlocker(shape_[1]), QSignalBlocker(shape_[2]),
        QSignalBlocker(classes_),  QSignalBlocker(train_),    QSignalBlocker(test_)};
    const QString name = QString::fromStdString(options.name);
    kind_->setCurrentIndex(std::max(0, kind_->findData(name)));
    shown_ = kind_->currentData().toString();
    folders_.insert(shown_, QString::fromStdString(options.folder.string()));
    folder_->setText(folders_.value(shown_));
    for (std::size_t i = 0; i < shape_.size(); ++i) {
        shape_[i]->setValue(options.sample.rank() == 3 ? clamped(options.sample[i], largestSide)
                                                       : randomShape[i]);
    }
    resize_->setChecked(mayResize() && options.sample.rank() == 3);
    classes_->setValue(clamped(options.classes, largestClasses));
    soft_->setChecked(options.soft_labels);
    train_->setValue(clamped(options.train_count, largestLimit));
    test_->setValue(clamped(options.test_count, largestLimit));
    showKind();
}

void DatasetBox::writeTo(DatasetOptions& options) const {
    for (QSpinBox* spin : {shape_[0], shape_[1], shape_[2], classes_, train_, test_}) {
        spin->interpretText();
    }
    options.name = kind().name;
    options.folder = kind().needs_folder ? folder().toStdString() : std::string();
    options.train_count = train_->value();
    options.test_count = test_->value();
    options.sample = choosesShape()
                         ? Shape{shape_[0]->value(), shape_[1]->value(), shape_[2]->value()}
                         : Shape();
    const bool labels = kind().takes_labels;
    options.classes = labels ? classes_->value() : DatasetOptions().classes;
    options.soft_labels = labels && soft_->isChecked();
}

void DatasetBox::kindChosen() {
    folders_.insert(shown_, folder_->text());
    shown_ = kind_->currentData().toString();
    folder_->setText(folders_.value(shown_));
    showKind();
    Q_EMIT changed();
}

void DatasetBox::browse() {
    const QString chosen = QFileDialog::getExistingDirectory(
        this, tr("Folder of %1").arg(kind_->currentText()), folder());
    if (!chosen.isEmpty()) {
        folder_->setText(QDir::toNativeSeparators(chosen));
        Q_EMIT changed();
    }
}

void DatasetBox::showKind() {
    const DatasetKind& shown = kind();
    const QString description = QString::fromStdString(shown.description);
    const QString first = description.section(QLatin1Char(' '), 0, 0);
    const bool word = std::all_of(first.begin(), first.end(), [](QChar c) { return c.isLetter(); });
    description_->setText(word ? description.left(1).toUpper() + description.mid(1) : description);
    folderField_->setVisible(shown.needs_folder);
    resize_->setVisible(mayResize());
    sample_->setVisible(choosesShape());
    random_->setVisible(shown.takes_labels);
    const QString all = shown.needs_folder ? tr("all") : tr("default");
    train_->setSpecialValueText(all);
    test_->setSpecialValueText(all);
}

}  // namespace trainscope::ui
