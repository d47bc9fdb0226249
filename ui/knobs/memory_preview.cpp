// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/knobs/memory_preview.h"

#include <QCoreApplication>

#include "engine/core/device.h"
#include "ui/number_text.h"

namespace trainscope::ui {

namespace {

constexpr std::int64_t largestSearched = std::int64_t{1} << 20;

QString tr(const char* text) {
    return QCoreApplication::translate("MemoryPreview", text);
}

}  // namespace

void MemoryPreview::setGraph(std::shared_ptr<const Graph> graph, bool softTargets, int threads,
                             const DeviceInfo& device) {
    graph_ = std::move(graph);
    softTargets_ = softTargets;
    threads_ = threads > 0 ? threads : device.threads;
    device_ = device.kind;
}

PlanSettings MemoryPreview::planSettings(const RunSettings& knobs) const {
    PlanSettings settings;
    settings.micro_batch = knobs.micro_batch;
    settings.variants = knobs.variants;
    settings.optimizer = knobs.optimizer.kind;
    settings.device = device_;
    settings.threads = threads_;
    settings.soft_targets = softTargets_;
    return settings;
}

Result<std::int64_t> MemoryPreview::bytes(const RunSettings& knobs) const {
    if (graph_ == nullptr) {
        return make_error(ErrorCode::not_found, "There is no model to plan the memory of.");
    }
    const Result<MemoryPlan> plan = plan_memory(*graph_, planSettings(knobs));
    if (!plan) {
        return make_error(plan.error());
    }
    return plan->usage.total();
}

QString MemoryPreview::shortText(const RunSettings& knobs) const {
    const Result<std::int64_t> needed = bytes(knobs);
    if (!needed) {
        return {};
    }
    const bool over = knobs.memory_budget && *needed > *knobs.memory_budget;
    return over ? tr("%1, over budget").arg(bytesText(*needed)) : bytesText(*needed);
}

MemoryForecast MemoryPreview::forecast(const RunSettings& knobs,
                                       std::optional<std::int64_t> now) const {
    if (graph_ == nullptr) {
        return {};
    }
    const Result<std::int64_t> needed = bytes(knobs);
    if (!needed) {
        return {QString::fromStdString(needed.error().message), false};
    }
    QString text;
    if (now == *needed) {
        text = tr("Uses %1 of memory").arg(bytesText(*needed));
    } else if (now) {
        text = tr("Needs %1 of memory (now %2)").arg(bytesText(*needed), bytesText(*now));
    } else {
        text = tr("Needs %1 of memory").arg(bytesText(*needed));
    }
    if (!knobs.memory_budget) {
        return {text, true};
    }
    const QString budget = bytesText(*knobs.memory_budget);
    if (*needed <= *knobs.memory_budget) {
        return {tr("%1, within the budget of %2").arg(text, budget), true};
    }
    const std::int64_t largest =
        largest_micro_batch(*graph_, planSettings(knobs), *knobs.memory_budget, largestSearched);
    const QString most =
        largest > 0 ? tr("a micro-batch of %1 is the largest that fits").arg(countText(largest))
                    : tr("no micro-batch fits");
    return {tr("%1, over the budget of %2: %3").arg(text, budget, most), false};
}

}  // namespace trainscope::ui
