// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/knobs/knob_table.h"

#include <QCoreApplication>
#include <map>
#include <set>
#include <utility>

#include "engine/ops/fused_operators.h"
#include "engine/ops/kernel_variant.h"
#include "engine/ops/separate.h"
#include "engine/ops/step_graph.h"
#include "engine/train/limits.h"
#include "ui/knobs/budget_knob.h"
#include "ui/knobs/choice_knob.h"
#include "ui/knobs/count_knob.h"
#include "ui/knobs/rate_knob.h"

namespace trainscope::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Knobs", text);
}

QVariant count(std::int64_t value) {
    return static_cast<qlonglong>(value);
}

KnobRow microBatch() {
    auto* knob = new CountKnob(QStringLiteral("micro_batch"), tr("Micro-&batch"),
                               CountKnob::Buttons::powers);
    knob->setToolTips(
        tr("Samples that go through the network at once. Memory grows with it; small ones leave "
           "the processor idle, large ones make fewer updates of the same data."));
    return {knob, [](const RunSettings& run) { return count(run.micro_batch); },
            [](RunSettings& run, const QVariant& value) { run.micro_batch = value.toLongLong(); },
            [](const TrainerStatus& status) { return count(status.micro_batch); },
            [](const QVariant& value) { return SetMicroBatch{value.toLongLong()}; }};
}

KnobRow accumulation() {
    auto* knob = new CountKnob(QStringLiteral("accumulation"), tr("&Accumulation"),
                               CountKnob::Buttons::scale);
    knob->setToolTips(
        tr("Micro-batches whose gradients are summed before one update: the effect of a batch "
           "so many times as large, in the memory of one micro-batch."));
    knob->setLargest(static_cast<int>(largest_accumulation));
    return {knob, [](const RunSettings& run) { return count(run.accumulation); },
            [](RunSettings& run, const QVariant& value) { run.accumulation = value.toLongLong(); },
            [](const TrainerStatus& status) { return count(status.accumulation); },
            [](const QVariant& value) { return SetAccumulation{value.toLongLong()}; }};
}

KnobRow learningRate() {
    auto* knob = new RateKnob(QStringLiteral("learning_rate"), tr("&Learning rate"));
    knob->setToolTips(
        tr("How far each update goes. Too large and the loss jumps or grows; too small and "
           "nothing happens. A larger batch often bears a larger rate."));
    return {knob,
            [](const RunSettings& run) {
                return QVariant(static_cast<double>(run.optimizer.learning_rate));
            },
            [](RunSettings& run, const QVariant& value) {
                run.optimizer.learning_rate = value.toFloat();
            },
            [](const TrainerStatus& status) {
                return QVariant(static_cast<double>(status.optimizer.learning_rate));
            },
            [](const QVariant& value) {
                // As it was written, "0.005", and not as the float nearest to it.
                return SetLearningRate{QString::number(value.toDouble(), 'g', 7).toDouble()};
            }};
}

OptimizerKind optimizerOf(const QVariant& value) {
    for (const OptimizerKind kind : all_optimizers) {
        if (QString::fromUtf8(name_of(kind)) == value.toString()) {
            return kind;
        }
    }
    return OptimizerKind::momentum;
}

KnobRow optimizer() {
    auto* knob = new ChoiceKnob(QStringLiteral("optimizer"), tr("&Optimizer"));
    knob->addPosition(QString::fromUtf8(name_of(OptimizerKind::sgd)), tr("SGD"),
                      tr("w -= rate x gradient. Keeps nothing beside the parameters."));
    knob->addPosition(QString::fromUtf8(name_of(OptimizerKind::momentum)), tr("SGD with momentum"),
                      tr("Follows a decaying sum of the gradients. Keeps one number a parameter."));
    knob->addPosition(QString::fromUtf8(name_of(OptimizerKind::adam)), tr("Adam"),
                      tr("Scales each parameter's step by the size of its gradients. Keeps two "
                         "numbers a parameter."));
    knob->addPosition(QString::fromUtf8(name_of(OptimizerKind::adamw)), tr("AdamW"),
                      tr("Adam that also draws the parameters to zero, apart from the gradient. "
                         "Keeps two numbers a parameter."));
    knob->setToolTips(
        tr("How gradients become updates. A change starts with fresh state and "
           "keeps the learning rate."));
    return {
        knob, [](const RunSettings& run) { return QString::fromUtf8(name_of(run.optimizer.kind)); },
        [](RunSettings& run, const QVariant& value) { run.optimizer.kind = optimizerOf(value); },
        [](const TrainerStatus& status) {
            return QString::fromUtf8(name_of(status.optimizer.kind));
        },
        [](const QVariant& value) {
            return SetOptimizer{optimizerOf(value), std::nullopt};
        }};
}

std::optional<std::int64_t> budgetOf(const QVariant& value) {
    const std::int64_t bytes = value.toLongLong();
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

KnobRow memoryBudget() {
    auto* knob = new BudgetKnob(QStringLiteral("memory_budget"), tr("Memory bud&get"));
    knob->setToolTips(
        tr("Pretend that the device has only so much memory: what does not fit is refused, and "
           "the training goes on as it was. 0 is no limit."));
    return {knob, [](const RunSettings& run) { return count(run.memory_budget.value_or(0)); },
            [](RunSettings& run, const QVariant& value) { run.memory_budget = budgetOf(value); },
            [](const TrainerStatus& status) { return count(status.memory_budget.value_or(0)); },
            [](const QVariant& value) { return SetMemoryBudget{budgetOf(value)}; }};
}

KnobRow evaluationInterval() {
    auto* knob = new CountKnob(QStringLiteral("evaluation_interval"), tr("Evaluate ever&y"),
                               CountKnob::Buttons::none);
    knob->setZero(tr("each epoch"), tr(" steps"));
    knob->setToolTips(
        tr("How often loss and accuracy are measured on the test samples. 0: at the end of each "
           "epoch."));
    return {knob, [](const RunSettings& run) { return count(run.evaluation_interval); },
            [](RunSettings& run, const QVariant& value) {
                run.evaluation_interval = value.toLongLong();
            },
            [](const TrainerStatus& status) { return count(status.evaluation_interval); },
            [](const QVariant& value) { return SetEvaluationInterval{value.toLongLong()}; }};
}

struct OperatorText {
    const char* op;
    const char* title;  // with mnemonic
};
constexpr OperatorText operatorTexts[] = {
    {"conv2d", QT_TRANSLATE_NOOP("Knobs", "&Convolution")},
    {"conv_relu_pool", QT_TRANSLATE_NOOP("Knobs", "Fused conv")},
    {"batch_norm", QT_TRANSLATE_NOOP("Knobs", "Batch &norm")},
    {"batch_norm_relu", QT_TRANSLATE_NOOP("Knobs", "Fused norm")},
    {"relu", QT_TRANSLATE_NOOP("Knobs", "ReLU")},
    {"max_pool2d", QT_TRANSLATE_NOOP("Knobs", "Max pool")},
    {"dense", QT_TRANSLATE_NOOP("Knobs", "Dense")},
    {"dense_relu", QT_TRANSLATE_NOOP("Knobs", "Fused dense")},
    {"softmax_cross_entropy", QT_TRANSLATE_NOOP("Knobs", "Loss")},
    {"optimizer", QT_TRANSLATE_NOOP("Knobs", "Update")},
    {"graph", QT_TRANSLATE_NOOP("Knobs", "CUDA graphs")},
};

QString titleWithMnemonic(const std::string& op) {
    for (const OperatorText& known : operatorTexts) {
        if (op == known.op) {
            return tr(known.title);
        }
    }
    return QString::fromStdString(op);
}

QString variantToolTip(const std::string& op) {
    if (op == "conv_relu_pool") {
        return tr(
            "How conv_relu_pool is computed: convolution, ReLU and max pool in one pass over "
            "the memory where they follow each other, or separate.");
    }
    if (op == BatchNormRelu::name) {
        return tr(
            "How batch_norm_relu is computed: batch norm and ReLU in one pass over the memory "
            "where they follow each other, or separate.");
    }
    if (op == DenseRelu::name) {
        return tr(
            "How dense_relu is computed: a dense layer and ReLU in one pass over the memory where "
            "they follow each other, or separate.");
    }
    if (op == StepGraph::name) {
        return tr(
            "Whether passes and update are recorded once and replayed with one call each, or "
            "each kernel is launched by itself. The numbers are the same to the bit.");
    }
    return tr("How %1 is computed. All give the same numbers within rounding; they differ in speed "
              "and workspace.")
        .arg(QString::fromStdString(op));
}

KnobRow variantKnob(const std::string& op) {
    auto* knob = new ChoiceKnob(variantKnobName(op), titleWithMnemonic(op));
    knob->setToolTips(variantToolTip(op));
    return {knob,
            [op](const RunSettings& run) { return QString::fromUtf8(run.variants.of(op)); },
            [op](RunSettings& run, const QVariant& value) {
                run.variants.set(op, value.toString().toStdString());
            },
            [op](const TrainerStatus& status) { return QString::fromUtf8(status.variants.of(op)); },
            [op](const QVariant& value) {
                return SetVariant{op, value.toString().toStdString()};
            },
            op};
}

std::map<std::string, std::vector<VariantInfo>> variantsByOperator(DeviceKind device) {
    std::map<std::string, std::vector<VariantInfo>> byOperator;
    std::vector<VariantInfo> variants = list_variants(device);
    std::erase_if(variants, [](const VariantInfo& variant) { return variant.tool; });
    for (VariantInfo& variant : variants) {
        byOperator[variant.op].push_back(std::move(variant));
    }
    return byOperator;
}

// Why the choice for this operator changes nothing; empty when it does.
QString idleReason(const std::string& op, const std::map<std::string, std::string>& used) {
    // Of graphs only a training says whether they are used: every model has them.
    if (used.empty() || used.contains(op) || op == StepGraph::name) {
        return {};
    }
    for (const FusedOperator& fused : fused_operators) {
        const auto found = used.find(std::string(fused.op));
        if (fused.has_part(op) && found != used.end() && found->second != separate) {
            const QString text = op == fused.parts.front()
                                     ? tr("Runs in %1 (%2); a choice here takes it out.")
                                     : tr("Runs in %1 (%2).");
            return text.arg(QString::fromUtf8(fused.op), QString::fromStdString(found->second));
        }
    }
    return tr("This model has no %1.").arg(QString::fromStdString(op));
}

void addVariants(ChoiceKnob& knob, const std::vector<VariantInfo>& variants) {
    for (const VariantInfo& variant : variants) {
        const QString name = QString::fromStdString(variant.name);
        knob.addPosition(name, variant.trainable ? name : tr("%1 (for study only)").arg(name),
                         QString::fromStdString(variant.description), variant.trainable);
    }
}

}  // namespace

std::vector<KnobRow> makeRunKnobs() {
    return {microBatch(), accumulation(), learningRate(),
            optimizer(),  memoryBudget(), evaluationInterval()};
}

std::vector<KnobRow> makeVariantKnobs() {
    std::set<std::string> choices;  // operators with something to choose on some device
    for (const DeviceKind device : all_device_kinds) {
        for (const auto& [op, variants] : variantsByOperator(device)) {
            if (variants.size() > 1) {
                choices.insert(op);
            }
        }
    }
    std::vector<KnobRow> rows;
    // Those with a title first, in their order; then what was added since.
    for (const OperatorText& known : operatorTexts) {
        if (choices.erase(known.op) > 0) {
            rows.push_back(variantKnob(known.op));
        }
    }
    for (const std::string& op : choices) {
        rows.push_back(variantKnob(op));
    }
    offerVariants(rows, DeviceKind::cpu);
    return rows;
}

void offerVariants(const std::vector<KnobRow>& variantKnobs, DeviceKind device) {
    const auto byOperator = variantsByOperator(device);
    for (const KnobRow& row : variantKnobs) {
        auto* const knob = static_cast<ChoiceKnob*>(row.knob);
        knob->clearPositions();
        knob->addPosition(QStringLiteral("auto"), tr("auto"),
                          tr("The variant that is usually fastest for the shape."));
        const auto variants = byOperator.find(row.op);
        const bool choice = variants != byOperator.end() && variants->second.size() > 1;
        if (choice) {
            addVariants(*knob, variants->second);
        }
        if (!choice) {
            knob->setValue(QStringLiteral("auto"));  // nobody could turn it back
        }
        knob->showPositions();
        knob->setOffered(choice);
    }
}

QString variantKnobName(const std::string& op) {
    return QString::fromStdString(op) + QStringLiteral(" variant");
}

void showUsedVariants(const std::vector<KnobRow>& variantKnobs,
                      const std::map<std::string, std::string>& used) {
    for (const KnobRow& row : variantKnobs) {
        const auto found = used.find(row.op);
        row.knob->setHint(idleReason(row.op, used));
        static_cast<ChoiceKnob*>(row.knob)->setPositionText(
            QStringLiteral("auto"),
            found == used.end() ? tr("auto")
                                : tr("auto (%1)").arg(QString::fromStdString(found->second)));
    }
}

}  // namespace trainscope::ui
