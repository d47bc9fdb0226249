// SPDX-License-Identifier: GPL-3.0-or-later
// The knobs' panel with a run to turn, and what it asked for.
#pragma once

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <stdexcept>

#include "engine/model/memory_plan.h"
#include "ui/knobs/knobs_panel.h"

namespace trainscope::ui {

class Knobs : public ::testing::Test {
  protected:
    Knobs() {
        QObject::connect(&panel, &KnobsPanel::commandRequested,
                         [this](const CommandBody& body) { commands.push_back(body); });
        run.micro_batch = 32;
        run.accumulation = 4;
        panel.setRun(run);
    }
    template <class Widget>
    Widget& find(const char* name) {
        auto* widget = panel.findChild<Widget*>(QLatin1String(name));
        if (widget == nullptr) {
            throw std::logic_error(std::string("no widget is called ") + name);
        }
        return *widget;
    }
    QSpinBox& microBatch() { return find<QSpinBox>("micro_batchEdit"); }
    QLineEdit& learningRate() { return find<QLineEdit>("learning_rateEdit"); }
    void press(const char* button) { find<QToolButton>(button).click(); }
    static void type(QWidget& widget, const char* text) {
        QTest::keyClick(&widget, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(&widget, QLatin1String(text));
    }
    std::string text(const char* label) {
        auto& shown = find<QLabel>(label);
        return shown.isVisibleTo(&panel) ? shown.text().toStdString() : std::string();
    }
    // As the trainer would be with the knobs of `run`.
    TrainerStatus status(std::uint64_t revision = 0) const {
        TrainerStatus status;
        status.micro_batch = run.micro_batch;
        status.accumulation = run.accumulation;
        status.optimizer = run.optimizer;
        status.variants = run.variants;
        status.memory_budget = run.memory_budget;
        status.evaluation_interval = run.evaluation_interval;
        status.revision = revision;
        return status;
    }
    void start() {
        panel.setRunning(true);
        panel.setStatus(status());
    }
    void give(const std::string& model) {
        graph = std::make_shared<const Graph>(
            build_graph(*find_model(model), Shape{1, 28, 28}, 10).value());
        panel.setGraph(graph, false, 1);
    }
    std::int64_t needed(std::int64_t microBatch) const {
        PlanSettings settings;
        settings.micro_batch = microBatch;
        return plan_memory(*graph, settings)->usage.total();
    }
    RunSettings written() {
        RunSettings out;
        panel.writeTo(out);
        return out;
    }

    RunSettings run;
    KnobsPanel panel;
    std::shared_ptr<const Graph> graph;
    std::vector<CommandBody> commands;
};

}  // namespace trainscope::ui
