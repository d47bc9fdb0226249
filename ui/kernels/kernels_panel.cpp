// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kernels/kernels_panel.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/kernels/bench_model.h"
#include "ui/kernels/bench_text.h"
#include "ui/kernels/bench_view.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/field_grid.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/tone_label.h"

namespace trainscope::ui {

class KernelsPanel::Private {
  public:
    void build(KernelsPanel& panel);
    QString op() const { return what->currentData().toString(); }
    void showWhat();
    void showReport();
    void showItem();
    void showState();  // of the second row

    BenchModel model;
    QSortFilterProxyModel sorted;
    QComboBox* what = nullptr;
    QLineEdit* shape = nullptr;
    QDoubleSpinBox* time = nullptr;
    QPushButton* run = nullptr;
    QToolButton* exports = nullptr;
    QProgressBar* progress = nullptr;
    ElidedLabel* doing = nullptr;
    ToneLabel* sentence = nullptr;
    QTableView* table = nullptr;
    QComboBox* shown = nullptr;
    std::array<BenchView*, 2> views{};
    QString modelText;
    QHash<QString, QString> typed;  // shapes by operator
    QString shownOp;
    bool running = false;

  private:
    QWidget* makeChoice(KernelsPanel& panel);
    QWidget* makeState(KernelsPanel& panel);
    QWidget* makeTable();
    QComboBox* makeShown(KernelsPanel& panel);
    QTabWidget* makePages();
    QToolButton* makeExports(KernelsPanel& panel);
};

namespace {

// What an operator's shape may be made of, for a tool tip.
QString fieldsText(const QString& op) {
    QStringList lines;
    for (const BenchField& field : bench_fields(op.toStdString())) {
        lines << QStringLiteral("%1=%2: %3")
                     .arg(QString::fromUtf8(field.name.data(),
                                            static_cast<qsizetype>(field.name.size())),
                          QString::fromUtf8(field.usual_text.data(),
                                            static_cast<qsizetype>(field.usual_text.size())),
                          QString::fromUtf8(field.meaning.data(),
                                            static_cast<qsizetype>(field.meaning.size())));
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

QWidget* KernelsPanel::Private::makeChoice(KernelsPanel& panel) {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    what = new QComboBox;
    what->setObjectName(QStringLiteral("benchWhat"));
    what->addItem(tr("Layers of the model"), QString());
    for (const std::string_view op : bench_operator_names()) {
        const QString name = QString::fromUtf8(op.data(), static_cast<qsizetype>(op.size()));
        what->addItem(name, name);
    }
    what->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    what->setMinimumContentsLength(16);
    layout->addWidget(
        makeLabel(tr("&Kernels of"), what, tr("The operator whose kernels are measured.")));
    layout->addWidget(what);
    shape = new QLineEdit;
    shape->setObjectName(QStringLiteral("benchShape"));
    shape->setAccessibleName(tr("Shape"));
    layout->addWidget(shape, 1);
    connect(what, &QComboBox::currentIndexChanged, &panel, [this] { showWhat(); });
    return row;
}

QWidget* KernelsPanel::Private::makeState(KernelsPanel& panel) {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins({});
    run = new QPushButton;
    run->setObjectName(QStringLiteral("benchRun"));
    layout->addWidget(run);
    connect(shape, &QLineEdit::returnPressed, run, &QPushButton::click);
    connect(run, &QPushButton::clicked, &panel, [this, &panel] {
        if (running) {
            Q_EMIT panel.cancelRequested();
        } else {
            Q_EMIT panel.runRequested();
        }
    });
    time = new QDoubleSpinBox;
    time->setObjectName(QStringLiteral("benchTime"));
    time->setRange(0.05, 60);
    time->setSingleStep(0.5);
    time->setValue(0.5);
    time->setSuffix(tr(" s"));
    layout->addWidget(makeLabel(tr("Tim&e"), time,
                                tr("About so long for each variant and pass, but at least five "
                                   "runs of each.")));
    layout->addWidget(time);
    progress = new QProgressBar;
    progress->setObjectName(QStringLiteral("benchProgress"));
    progress->setRange(0, 1000);
    progress->setFormat(QStringLiteral("%p %"));
    progress->setMaximumWidth(progress->fontMetrics().averageCharWidth() * 18);
    layout->addWidget(progress);
    doing = new ElidedLabel;
    doing->setObjectName(QStringLiteral("benchDoing"));
    layout->addWidget(doing, 1);
    layout->addWidget(makeShown(panel), 1);
    exports = makeExports(panel);
    layout->addWidget(exports);
    return row;
}

QToolButton* KernelsPanel::Private::makeExports(KernelsPanel& panel) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("benchExport"));
    button->setText(tr("E&xport"));
    button->setPopupMode(QToolButton::InstantPopup);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    auto* menu = new QMenu(button);
    QAction* csv = menu->addAction(tr("&Table (CSV)..."));
    csv->setObjectName(QStringLiteral("exportBenchTable"));
    connect(csv, &QAction::triggered, &panel, [&panel] { Q_EMIT panel.tableExportRequested(); });
    QAction* times = menu->addAction(tr("T&imes (PNG, SVG, PDF)..."));
    QAction* roofline = menu->addAction(tr("&Roofline (PNG, SVG, PDF)..."));
    connect(times, &QAction::triggered, &panel,
            [&panel] { Q_EMIT panel.pictureExportRequested(BenchPicture::times); });
    connect(roofline, &QAction::triggered, &panel,
            [&panel] { Q_EMIT panel.pictureExportRequested(BenchPicture::roofline); });
    button->setMenu(menu);
    return button;
}

QWidget* KernelsPanel::Private::makeTable() {
    sorted.setSourceModel(&model);
    sorted.setSortRole(BenchModel::sortRole);
    table = new QTableView;
    table->setObjectName(QStringLiteral("benchTable"));
    table->setAccessibleName(tr("Kernel variants"));
    table->setModel(&sorted);
    table->setSortingEnabled(true);
    sorted.sort(-1);  // as measured, until a header is clicked
    table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    styleRows(*table);
    return table;
}

// Which shape the pictures show, where there are several.
QComboBox* KernelsPanel::Private::makeShown(KernelsPanel& panel) {
    shown = new QComboBox;
    shown->setObjectName(QStringLiteral("benchShown"));
    shown->setToolTip(tr("The shape that the pictures show."));
    shown->setAccessibleName(tr("Shape of the pictures"));
    shown->setMinimumContentsLength(4);
    shown->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    shown->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    shown->view()->setTextElideMode(Qt::ElideNone);
    connect(shown, &QComboBox::currentIndexChanged, &panel, [this] { showItem(); });
    return shown;
}

QTabWidget* KernelsPanel::Private::makePages() {
    auto* pages = new QTabWidget;
    pages->setObjectName(QStringLiteral("benchPages"));
    pages->setDocumentMode(true);
    pages->addTab(makeTable(), tr("Table"));
    views = {new BenchView(BenchPicture::times), new BenchView(BenchPicture::roofline)};
    views[0]->setObjectName(QStringLiteral("benchTimes"));
    views[1]->setObjectName(QStringLiteral("benchRoofline"));
    pages->addTab(views[0], tr("Times"));
    pages->addTab(views[1], tr("Roofline"));
    return pages;
}

void KernelsPanel::Private::build(KernelsPanel& panel) {
    auto* column = new QVBoxLayout(&panel);
    column->setContentsMargins(6, 6, 6, 4);
    column->setSpacing(4);
    column->addWidget(makeChoice(panel));
    column->addWidget(makeState(panel));
    sentence = new ToneLabel(Tone::error);
    sentence->setObjectName(QStringLiteral("benchSentence"));
    sentence->hide();
    column->addWidget(sentence);
    column->addWidget(makePages(), 1);
    showWhat();
    showReport();
}

// Keeps the shape that was typed for the operator before.
void KernelsPanel::Private::showWhat() {
    if (!shownOp.isEmpty()) {
        typed[shownOp] = shape->text();
    }
    shownOp = op();
    const bool ofModel = shownOp.isEmpty();
    shape->setReadOnly(ofModel);
    shape->setEnabled(!ofModel);
    if (ofModel) {
        shape->setText(modelText);
        shape->setToolTip(tr("Each shape that the model's layers have at this micro-batch."));
    } else {
        const QString usual =
            QString::fromStdString(usual_bench_shape(shownOp.toStdString()).value().to_string());
        shape->setText(typed.value(shownOp, usual));
        shape->setToolTip(fieldsText(shownOp));
    }
    shape->setCursorPosition(0);
}

void KernelsPanel::Private::showReport() {
    const BenchReport& report = model.report();
    const QSignalBlocker blocker(shown);
    const QVariant before = shown->currentText();
    shown->clear();
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        if (i == 0 || !sameItem(report.rows[i], report.rows[i - 1])) {
            shown->addItem(itemText(report.rows[i]), static_cast<qulonglong>(i));
        }
    }
    shown->setCurrentIndex(std::max(0, shown->findText(before.toString())));
    showState();
    shown->view()->setMinimumWidth(shown->view()->sizeHintForColumn(0) + 8);
    const bool several = model.hasSeveralItems();
    table->setColumnHidden(BenchModel::op, !several);
    table->setColumnHidden(BenchModel::shape, !several);
    table->setColumnHidden(BenchModel::layer, !several || report.rows.front().layer.empty());
    table->resizeColumnsToContents();
    exports->setEnabled(!report.rows.empty());
    showItem();
}

void KernelsPanel::Private::showItem() {
    for (BenchView* const view : views) {
        view->show(model.report(), static_cast<std::size_t>(shown->currentData().toULongLong()));
    }
}

// What goes on while it runs; afterwards, in the same place, the choice of a shape.
void KernelsPanel::Private::showState() {
    progress->setVisible(running);
    shown->setVisible(!running && shown->count() > 1);
    doing->setVisible(!shown->isVisibleTo(shown->parentWidget()));
}

KernelsPanel::KernelsPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>()) {
    d_->build(*this);
    setRunning(false);
}

KernelsPanel::~KernelsPanel() {
    d_->table->setModel(nullptr);  // the model goes first
}

void KernelsPanel::setModelText(const QString& text) {
    d_->modelText = text;
    if (modelChosen()) {
        d_->showWhat();
    }
}

bool KernelsPanel::modelChosen() const {
    return d_->op().isEmpty();
}

Result<BenchItem> KernelsPanel::item() const {
    Result<BenchShape> shape =
        parse_bench_shape(d_->op().toStdString(), d_->shape->text().trimmed().toStdString());
    if (!shape) {
        return make_error(shape.error());
    }
    if (const Result<void> fits = check_bench_shape(*shape); !fits) {
        return make_error(fits.error());
    }
    return BenchItem{std::move(*shape), ""};
}

double KernelsPanel::seconds() const {
    return d_->time->value();
}

void KernelsPanel::setRunning(bool running) {
    d_->running = running;
    d_->run->setText(running ? tr("Cancel") : tr("&Run"));
    d_->what->setEnabled(!running);
    d_->shape->setEnabled(!running && !modelChosen());
    d_->time->setEnabled(!running);
    d_->progress->setValue(0);
    d_->doing->setText({});
    d_->showState();
}

void KernelsPanel::showProgress(double share, const QString& doing) {
    d_->progress->setValue(static_cast<int>(share * 1000));
    d_->doing->setText(doing);
}

void KernelsPanel::showSentence(const QString& sentence, bool wrong) {
    d_->sentence->setTone(wrong ? Tone::error : Tone::quiet);
    d_->sentence->setText(sentence);
    d_->sentence->setVisible(!sentence.isEmpty());
}

void KernelsPanel::setReport(const BenchReport& report) {
    d_->model.setReport(report);
    d_->showReport();
}

const BenchReport& KernelsPanel::report() const {
    return d_->model.report();
}

std::size_t KernelsPanel::shownItem() const {
    return static_cast<std::size_t>(d_->shown->currentData().toULongLong());
}

}  // namespace trainscope::ui
