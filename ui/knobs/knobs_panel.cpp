// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/knobs/knobs_panel.h"

#include <QEvent>
#include <QGridLayout>
#include <QHash>
#include <QLabel>
#include <QSet>
#include <algorithm>

#include "ui/knobs/count_knob.h"
#include "ui/knobs/knob_table.h"
#include "ui/knobs/memory_preview.h"
#include "ui/number_text.h"
#include "ui/widgets/field_grid.h"
#include "ui/widgets/panel_scroll.h"
#include "ui/widgets/tone_label.h"

namespace trainscope::ui {

namespace {

// An Adam step is about as long as the rate, whatever the gradient's size.
constexpr float largeAdamRate = 0.01F;

void addKnob(QGridLayout& grid, Knob& knob) {
    const int row = grid.rowCount();
    grid.addWidget(knob.label(), row, 0);
    grid.addWidget(&knob, row, 1);
    grid.addWidget(knob.note(), row + 1, 0, 1, 2);
}

ToneLabel* makeLine(const char* name) {
    auto* line = new ToneLabel;
    line->setObjectName(QLatin1String(name));
    return line;
}

bool hasBatchNorm(const Graph* graph) {
    return graph != nullptr &&
           std::any_of(graph->nodes.begin(), graph->nodes.end(),
                       [](const Node& node) { return node.type == "batch_norm"; });
}

}  // namespace

class KnobsPanel::Private {
  public:
    explicit Private(KnobsPanel& panel) : panel_(panel) {}

    void build();
    void showRun(const RunSettings& run);
    RunSettings run() const;
    void commit();
    void turned(const KnobRow& row);
    void send(const KnobRow& row);
    const KnobRow* find(const QString& knob) const;
    void showStatus(const TrainerStatus& status);
    void showDevice(const TrainerStatus& status);
    void showAll();

    std::vector<KnobRow> runKnobs, variantKnobs;
    DeviceKind offeredOf = DeviceKind::cpu;  // whose variants the knobs offer
    MemoryPreview preview;
    RunSettings base;  // what the panel has no knob for
    std::optional<std::int64_t> memoryNow;
    bool running = false;
    QSet<QString> held;                    // turned again while waiting
    QHash<QString, QVariant> sent;         // the value of the command that is on its way
    QHash<QString, std::uint64_t> sentAt;  // the revision that was seen when a knob's command went
    std::uint64_t revision = 0;

  private:
    void connectRow(const KnobRow& row);
    void showMemory(const RunSettings& knobs);
    void showHints();
    QString costOf(std::int64_t microBatch) const;
    template <class Visit>
    void forEach(Visit visit) const {
        std::for_each(runKnobs.begin(), runKnobs.end(), visit);
        std::for_each(variantKnobs.begin(), variantKnobs.end(), visit);
    }

    KnobsPanel& panel_;
    CountKnob* microBatch_ = nullptr;
    ToneLabel* effective_ = nullptr;
    ToneLabel* memory_ = nullptr;
    ToneLabel* device_ = nullptr;  // what the device says of its memory
    ToneLabel* ghost_ = nullptr;
};

void KnobsPanel::Private::build() {
    runKnobs = makeRunKnobs();
    variantKnobs = makeVariantKnobs();
    effective_ = makeLine("effectiveBatch");
    memory_ = makeLine("predictedMemory");
    device_ = makeLine("deviceMemory");
    device_->setTone(Tone::quiet);
    device_->hide();
    ghost_ = makeLine("ghostBatchNorm");
    ghost_->setTone(Tone::warning);

    auto* page = new QWidget;
    auto* knobs = new QWidget;
    QGridLayout* grid = makeFieldGrid(knobs);
    grid->setContentsMargins({});
    for (const KnobRow& row : runKnobs) {
        addKnob(*grid, *row.knob);
        if (row.knob->objectName() == QStringLiteral("accumulation")) {
            grid->addWidget(effective_, grid->rowCount(), 0, 1, 2);
            grid->addWidget(memory_, grid->rowCount(), 0, 1, 2);
            grid->addWidget(device_, grid->rowCount(), 0, 1, 2);
            grid->addWidget(ghost_, grid->rowCount(), 0, 1, 2);
        }
    }
    auto* heading = new QLabel(tr("Kernel variants"));
    heading->setObjectName(QStringLiteral("variantsHeading"));
    QFont bold = heading->font();
    bold.setBold(true);
    heading->setFont(bold);
    heading->setContentsMargins(0, heading->fontMetrics().height() / 4, 0, 0);
    heading->setVisible(!variantKnobs.empty());
    grid->addWidget(heading, grid->rowCount(), 0, 1, 2);
    for (const KnobRow& row : variantKnobs) {
        addKnob(*grid, *row.knob);
    }
    auto* pageLayout = new QVBoxLayout(page);
    pageLayout->addWidget(knobs);
    pageLayout->addStretch(1);
    auto* layout = new QVBoxLayout(&panel_);
    layout->setContentsMargins({});
    layout->addWidget(new PanelScroll(page));

    forEach([this](const KnobRow& row) { connectRow(row); });
    microBatch_ = static_cast<CountKnob*>(find(QStringLiteral("micro_batch"))->knob);
    microBatch_->setCost([this](std::int64_t count) { return costOf(count); });
}

void KnobsPanel::Private::connectRow(const KnobRow& row) {
    // Rows stay where they are once they are made.
    connect(row.knob, &Knob::turned, &panel_, [this, &row] { turned(row); });
    connect(row.knob, &Knob::previewed, &panel_, [this, &row](const QVariant& value) {
        RunSettings knobs = run();
        if (value.isValid()) {
            row.write(knobs, value);
        }
        showMemory(knobs);
    });
}

void KnobsPanel::Private::showRun(const RunSettings& run) {
    base = run;
    held.clear();
    sent.clear();
    sentAt.clear();
    microBatch_->setDoublingEnd(std::nullopt);
    forEach([&](const KnobRow& row) { row.knob->setValue(row.read(run)); });
    showAll();
}

RunSettings KnobsPanel::Private::run() const {
    RunSettings run = base;
    forEach([&](const KnobRow& row) { row.write(run, row.knob->value()); });
    return run;
}

void KnobsPanel::Private::commit() {
    forEach([](const KnobRow& row) { row.knob->commit(); });
}

void KnobsPanel::Private::turned(const KnobRow& row) {
    showAll();
    if (!running) {
        row.knob->setValue(row.knob->value());
        showHints();
    } else if (row.knob->pending()) {
        held.insert(row.knob->objectName());
    } else {
        send(row);
    }
}

void KnobsPanel::Private::send(const KnobRow& row) {
    row.knob->setPending();
    sent.insert(row.knob->objectName(), row.knob->value());
    sentAt.insert(row.knob->objectName(), revision);
    Q_EMIT panel_.commandRequested(row.command(row.knob->value()));
}

const KnobRow* KnobsPanel::Private::find(const QString& knob) const {
    const KnobRow* found = nullptr;
    forEach([&](const KnobRow& row) {
        if (row.knob->objectName() == knob) {
            found = &row;
        }
    });
    return found;
}

void KnobsPanel::Private::showStatus(const TrainerStatus& status) {
    const std::int64_t total = status.memory.total();
    const std::optional<std::int64_t> now = total > 0 ? std::optional(total) : std::nullopt;
    // Planning costs too much for every tick of the window.
    bool anew = memoryNow != now;
    memoryNow = now;
    revision = status.revision;
    microBatch_->setDoublingEnd(status.epoch_samples > 0 ? std::optional(status.epoch_samples)
                                                         : std::nullopt);
    forEach([&](const KnobRow& row) {
        const auto sent = sentAt.find(row.knob->objectName());
        if (sent != sentAt.end() && revision <= *sent) {
            return;  // taken before the answer
        }
        if (sent != sentAt.end() && !row.knob->pending()) {
            sentAt.erase(sent);
        }
        anew |= row.knob->setRunning(row.running(status));
    });
    showUsedVariants(variantKnobs, status.variants_used);
    showDevice(status);
    if (anew) {
        showAll();
    }
}

void KnobsPanel::Private::showAll() {
    showMemory(run());
    showHints();
}

void KnobsPanel::Private::showMemory(const RunSettings& knobs) {
    effective_->setText(tr("%1 \u00d7 %2 = %3 samples an update")
                            .arg(countText(knobs.micro_batch), countText(knobs.accumulation),
                                 countText(knobs.micro_batch * knobs.accumulation)));
    const MemoryForecast forecast = preview.forecast(knobs, memoryNow);
    memory_->setText(forecast.text);
    memory_->setVisible(!forecast.text.isEmpty());
    memory_->setTone(forecast.fits ? std::nullopt : std::optional(Tone::error));
    const bool ghost = knobs.accumulation > 1 && hasBatchNorm(preview.graph());
    ghost_->setVisible(ghost);
    if (ghost) {
        ghost_->setText(tr("Batch norm takes its statistics from each micro-batch of %1 alone, "
                           "not from the %2 of an update (\u201cghost\u201d batch norm).")
                            .arg(countText(knobs.micro_batch),
                                 countText(knobs.micro_batch * knobs.accumulation)));
    }
}

void KnobsPanel::Private::showDevice(const TrainerStatus& status) {
    device_->setVisible(status.device_memory.has_value());
    if (status.device_memory) {
        const MemoryReport& memory = *status.device_memory;
        device_->setText(tr("Of the device's %1: %2 reserved here, of which %3 in use; %4 taken by "
                            "others and its driver.")
                             .arg(bytesText(memory.total), bytesText(memory.reserved),
                                  bytesText(status.memory.total()), bytesText(memory.others())));
    }
}

void KnobsPanel::Private::showHints() {
    const OptimizerSettings optimizer = run().optimizer;
    const bool adam = state_slots(optimizer.kind) == 2;
    find(QStringLiteral("learning_rate"))
        ->knob->setHint(adam && optimizer.learning_rate > largeAdamRate
                            ? tr("Large for Adam, whose steps are about as long as the rate; "
                                 "%1 is usual.")
                                  .arg(floatText(usual_learning_rate(optimizer.kind)))
                            : QString());
}

QString KnobsPanel::Private::costOf(std::int64_t microBatch) const {
    RunSettings knobs = run();
    knobs.micro_batch = microBatch;
    return preview.shortText(knobs);
}

KnobsPanel::KnobsPanel(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>(*this)) {
    d_->build();
    d_->showRun({});
}
KnobsPanel::~KnobsPanel() = default;

void KnobsPanel::setRun(const RunSettings& run) {
    d_->showRun(run);
}

void KnobsPanel::writeTo(RunSettings& run) const {
    d_->commit();
    const RunSettings mine = d_->run();
    run.micro_batch = mine.micro_batch;
    run.accumulation = mine.accumulation;
    run.optimizer = mine.optimizer;
    run.memory_budget = mine.memory_budget;
    run.evaluation_interval = mine.evaluation_interval;
    run.variants = {};
    for (const auto& [op, variant] : mine.variants.names()) {
        if (variant != "auto") {
            run.variants.set(op, variant);
        }
    }
}

void KnobsPanel::setGraph(std::shared_ptr<const Graph> graph, bool softTargets, int threads,
                          const DeviceInfo& device) {
    d_->preview.setGraph(std::move(graph), softTargets, threads, device);
    if (device.kind != d_->offeredOf) {
        d_->offeredOf = device.kind;
        offerVariants(d_->variantKnobs, device.kind);
    }
    d_->showAll();
}

void KnobsPanel::setStatus(const TrainerStatus& status) {
    if (d_->running) {
        d_->showStatus(status);
    }
}

void KnobsPanel::setRunning(bool running) {
    if (d_->running == running) {
        return;
    }
    d_->running = running;
    d_->showDevice({});
    d_->revision = 0;
    d_->memoryNow.reset();
    // What runs is not known before the first status; what was asked for and not answered at the
    // end is the choice for the next start.
    d_->showRun(d_->run());
}

void KnobsPanel::showAnswer(const QString& knob, bool applied, const QString& reason) {
    const KnobRow* row = d_->find(knob);
    if (row == nullptr) {
        return;
    }
    const bool turnedBack = applied && row->knob->value() == d_->sent.value(knob);
    if (d_->held.remove(knob) && !turnedBack) {
        if (applied) {
            row->knob->setApplied(d_->sent.value(knob));
        }
        d_->send(*row);
    } else {
        row->knob->setAnswer(applied, reason);
    }
    d_->showAll();
}

QString KnobsPanel::knobOf(const CommandBody& body) {
    struct Name {
        QString operator()(const SetMicroBatch&) const { return QStringLiteral("micro_batch"); }
        QString operator()(const SetAccumulation&) const { return QStringLiteral("accumulation"); }
        QString operator()(const SetLearningRate&) const { return QStringLiteral("learning_rate"); }
        QString operator()(const SetOptimizer&) const { return QStringLiteral("optimizer"); }
        QString operator()(const SetMemoryBudget&) const { return QStringLiteral("memory_budget"); }
        QString operator()(const SetVariant& set) const { return variantKnobName(set.op); }
        QString operator()(const Pause&) const { return {}; }
        QString operator()(const Resume&) const { return {}; }
        QString operator()(const SingleStep&) const { return {}; }
        QString operator()(const Stop&) const { return {}; }
        QString operator()(const EvaluateNow&) const { return {}; }
        QString operator()(const SetEvaluationInterval&) const {
            return QStringLiteral("evaluation_interval");
        }
    };
    return std::visit(Name{}, body);
}

}  // namespace trainscope::ui
