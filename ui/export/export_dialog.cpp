// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <map>

#include "engine/record/log_export.h"
#include "ui/widgets/field_grid.h"
#include "ui/widgets/panel_scroll.h"
#include "ui/widgets/spins.h"
#include "ui/widgets/tone_label.h"

namespace trainscope::ui {

class ExportDialog::Private {
  public:
    explicit Private(ExportDialog& dialog) : dialog_(dialog) {}

    void build(const ExportChoice& choice);
    ExportChoice choice() const;

  private:
    QWidget* makeFolder(const QString& folder);
    QWidget* makeLogs(const QStringList& chosen);
    QWidget* makeCharts(const ExportChoice& choice);
    QWidget* makePicture(const ExportChoice& choice);
    void addButtons(QVBoxLayout& layout);
    void browse();
    void update();
    QString folder() const { return folder_->text().trimmed(); }

    ExportDialog& dialog_;
    QLineEdit* folder_ = nullptr;
    std::map<QString, QCheckBox*> logs_;
    std::map<ChartId, QCheckBox*> charts_;
    QComboBox* format_ = nullptr;
    QSpinBox* width_ = nullptr;
    QSpinBox* height_ = nullptr;
    QSpinBox* dpi_ = nullptr;
    QWidget* picture_ = nullptr;
    ToneLabel* pixels_ = nullptr;
    QPushButton* export_ = nullptr;
};

void ExportDialog::Private::build(const ExportChoice& choice) {
    dialog_.setWindowTitle(tr("Export"));
    auto* layout = new QVBoxLayout(&dialog_);
    // Scrolls where the screen is low, so that the buttons are always there.
    auto* page = new QWidget;
    auto* parts = new QVBoxLayout(page);
    parts->addWidget(makeFolder(choice.folder));
    parts->addWidget(makeLogs(choice.logs));
    parts->addWidget(makeCharts(choice));
    parts->addStretch(1);
    layout->addWidget(new PanelScroll(page), 1);
    parts->setContentsMargins({});
    addButtons(*layout);
    update();
}

QWidget* ExportDialog::Private::makeFolder(const QString& folder) {
    auto* field = new QWidget;
    auto* row = new QHBoxLayout(field);
    row->setContentsMargins({});
    folder_ = new QLineEdit(QDir::toNativeSeparators(folder));
    folder_->setObjectName(QStringLiteral("exportFolder"));
    folder_->setMinimumWidth(folder_->fontMetrics().averageCharWidth() * 40);
    auto* browse = new QPushButton(tr("&Browse\u2026"));
    browse->setObjectName(QStringLiteral("browseExport"));
    browse->setAutoDefault(false);
    row->addWidget(makeLabel(tr("&Folder"), folder_,
                             tr("Where the files go. It is made when it is not there; files of "
                                "the same name are replaced.")));
    row->addWidget(folder_, 1);
    row->addWidget(browse);
    connect(browse, &QPushButton::clicked, &dialog_, [this] { this->browse(); });
    connect(folder_, &QLineEdit::textChanged, &dialog_, [this] { update(); });
    return field;
}

QWidget* ExportDialog::Private::makeLogs(const QStringList& chosen) {
    auto* box = new QGroupBox(tr("Logs"));
    auto* layout = new QVBoxLayout(box);
    for (const LogExporter& exporter : log_exporters()) {
        const QString name = QString::fromUtf8(exporter.name);
        auto* check = new QCheckBox(tr("%1: %2").arg(QString::fromUtf8(exporter.file_name),
                                                     QString::fromUtf8(exporter.description)));
        check->setObjectName(QStringLiteral("log_") + name);
        check->setChecked(chosen.contains(name));
        layout->addWidget(check);
        logs_.emplace(name, check);
        connect(check, &QCheckBox::toggled, &dialog_, [this] { update(); });
    }
    return box;
}

QWidget* ExportDialog::Private::makeCharts(const ExportChoice& choice) {
    auto* box = new QGroupBox(tr("Charts"));
    auto* layout = new QVBoxLayout(box);
    auto* grid = new QGridLayout;
    int at = 0;
    for (const ChartInfo& info : chartTable()) {
        auto* check = new QCheckBox(chartTitle(info.id));
        check->setObjectName(QStringLiteral("chart_") + QLatin1String(info.name));
        check->setChecked(std::find(choice.charts.begin(), choice.charts.end(), info.id) !=
                          choice.charts.end());
        grid->addWidget(check, at / 2, at % 2);
        charts_.emplace(info.id, check);
        connect(check, &QCheckBox::toggled, &dialog_, [this] { update(); });
        ++at;
    }
    layout->addLayout(grid);
    picture_ = makePicture(choice);
    layout->addWidget(picture_);
    return box;
}

QWidget* ExportDialog::Private::makePicture(const ExportChoice& choice) {
    auto* field = new QWidget;
    QGridLayout* grid = makeFieldGrid(field);
    grid->setContentsMargins({});
    format_ = new QComboBox;
    format_->setObjectName(QStringLiteral("chartFormat"));
    for (const PictureFormat& format : pictureFormats()) {
        format_->addItem(QCoreApplication::translate("charts", format.title),
                         QString::fromLatin1(format.name));
    }
    format_->setCurrentIndex(std::max(0, format_->findData(choice.picture.format)));
    addField(*grid, makeLabel(tr("For&mat"), format_, tr("The kind of picture files.")), format_);

    auto* sizeField = new QWidget;
    auto* row = new QHBoxLayout(sizeField);
    row->setContentsMargins({});
    using Limits = PictureLimits;
    width_ = makeSpin("chartWidth", Limits::smallest.width(), Limits::largest_side);
    width_->setValue(choice.picture.size.width());
    height_ = makeSpin("chartHeight", Limits::smallest.height(), Limits::largest_side);
    height_->setValue(choice.picture.size.height());
    row->addWidget(width_, 1);
    row->addWidget(new QLabel(QStringLiteral("\u00d7")));
    row->addWidget(height_, 1);
    addField(*grid,
             makeLabel(tr("&Size"), width_,
                       tr("Width \u00d7 height of each chart as on a screen of 96 dots an inch.")),
             sizeField);
    width_->setAccessibleName(tr("Width"));
    height_->setAccessibleName(tr("Height"));
    height_->setToolTip(width_->toolTip());
    dpi_ = makeSpin("chartDpi", Limits::least_dpi, Limits::most_dpi);
    dpi_->setValue(choice.picture.dpi);
    addField(*grid,
             makeLabel(tr("&Dots an inch"), dpi_,
                       tr("96 is a screen, 300 is print. More dots are drawn finer, not larger.")),
             dpi_);
    pixels_ = new ToneLabel(Tone::quiet);
    pixels_->setObjectName(QStringLiteral("chartPixels"));
    grid->addWidget(pixels_, grid->rowCount(), 1);
    connect(format_, &QComboBox::currentIndexChanged, &dialog_, [this] { update(); });
    for (QSpinBox* spin : {width_, height_, dpi_}) {
        connect(spin, &QSpinBox::valueChanged, &dialog_, [this] { update(); });
    }
    return field;
}

void ExportDialog::Private::addButtons(QVBoxLayout& layout) {
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    export_ = buttons->addButton(tr("&Export"), QDialogButtonBox::AcceptRole);
    export_->setObjectName(QStringLiteral("startExport"));
    connect(buttons, &QDialogButtonBox::accepted, &dialog_, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, &dialog_, &QDialog::reject);
    layout.addWidget(buttons);
    export_->setDefault(true);
}

void ExportDialog::Private::browse() {
    const QString chosen =
        QFileDialog::getExistingDirectory(&dialog_, tr("Folder to export to"), folder());
    if (!chosen.isEmpty()) {
        folder_->setText(QDir::toNativeSeparators(chosen));
    }
}

void ExportDialog::Private::update() {
    if (export_ == nullptr) {
        return;  // still being built
    }
    const ExportChoice now = choice();
    const bool png = now.picture.format == QStringLiteral("png");
    picture_->setEnabled(!now.charts.empty());
    dpi_->setEnabled(png);
    const QSize pixels = pixelsOf(now.picture);
    pixels_->setText(
        png ? tr("%1 \u00d7 %2 pixels a chart").arg(pixels.width()).arg(pixels.height())
            : tr("sharp at any size"));
    QString missing;
    if (now.folder.isEmpty()) {
        missing = tr("Choose a folder first.");
    } else if (now.charts.empty() && now.logs.isEmpty()) {
        missing = tr("Choose what to export first.");
    } else if (!now.charts.empty()) {
        const auto checked = checkPicture(now.picture);
        missing = checked ? QString() : QString::fromStdString(checked.error().message);
    }
    export_->setEnabled(missing.isEmpty());
    export_->setToolTip(missing);
}

ExportChoice ExportDialog::Private::choice() const {
    ExportChoice choice;
    choice.folder = QDir::fromNativeSeparators(folder());
    choice.logs.clear();
    for (const LogExporter& exporter : log_exporters()) {
        if (logs_.at(QString::fromUtf8(exporter.name))->isChecked()) {
            choice.logs << QString::fromUtf8(exporter.name);
        }
    }
    choice.charts.clear();
    for (const ChartInfo& info : chartTable()) {
        if (charts_.at(info.id)->isChecked()) {
            choice.charts.push_back(info.id);
        }
    }
    choice.picture.format = format_->currentData().toString();
    choice.picture.size = {width_->value(), height_->value()};
    choice.picture.dpi = dpi_->value();
    return choice;
}

ExportDialog::ExportDialog(const ExportChoice& choice, QWidget* parent)
    : QDialog(parent), d_(std::make_unique<Private>(*this)) {
    d_->build(choice);
}
ExportDialog::~ExportDialog() = default;

ExportChoice ExportDialog::choice() const {
    return d_->choice();
}

}  // namespace trainscope::ui
