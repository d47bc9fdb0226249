// SPDX-License-Identifier: GPL-3.0-or-later
// The knobs offer the variants of the device that is chosen.
#include <gmock/gmock.h>

#include <QComboBox>
#include <QLabel>

#include "engine/model/graph.h"
#include "engine/ops/kernel_variant.h"
#include "ui/knobs/knob.h"
#include "ui/knobs/knobs_panel.h"

namespace trainscope::ui {
namespace {

// An operator with one variant on the CPU has two on the emulated device.
void add_variants_of_emulated_device() {
    static const bool added = [] {
        for (const char* name : {"plain", "wide"}) {
            detail::add_variant_info(DeviceKind::emulated,
                                     {.op = "relu", .name = name, .description = "ReLU."});
        }
        return true;
    }();
    EXPECT_TRUE(added);
}

// A knob that the CPU does not know at all.
void add_knob_of_emulated_device() {
    static const bool added = [] {
        for (const char* name : {"on", "off"}) {
            detail::add_variant_info(DeviceKind::emulated,
                                     {.op = "graph", .name = name, .description = "Graphs."});
        }
        return true;
    }();
    EXPECT_TRUE(added);
}

TEST(KnobsOfDevices, AKnobThatADeviceDoesNotKnowIsNoneOfItsSettings) {
    add_knob_of_emulated_device();
    KnobsPanel panel;
    const auto graph = std::make_shared<const Graph>(
        build_graph(*find_model("simple-cnn"), Shape{1, 28, 28}, 10).value());
    auto* const memory = panel.findChild<QLabel*>(QStringLiteral("predictedMemory"));
    auto* const combo = panel.findChild<QComboBox*>(QStringLiteral("graph variantEdit"));
    ASSERT_NE(combo, nullptr);
    panel.setGraph(graph, false, 1, cpu_device());
    EXPECT_THAT(memory->text().toStdString(), ::testing::StartsWith("Needs"));
    // Nor is what was chosen on another device.
    DeviceInfo emulated;
    emulated.kind = DeviceKind::emulated;
    panel.setGraph(graph, false, 1, emulated);
    combo->setCurrentIndex(combo->findData(QStringLiteral("on")));
    Q_EMIT combo->activated(combo->currentIndex());
    panel.setGraph(graph, false, 1, cpu_device());
    EXPECT_THAT(memory->text().toStdString(), ::testing::StartsWith("Needs"));
    RunSettings run;
    panel.writeTo(run);
    EXPECT_EQ(run.variants.of("graph"), "auto");
}

TEST(KnobsOfDevices, AnOperatorWithoutAChoiceOnTheDeviceHasNoKnobNoLabelAndNoNote) {
    add_variants_of_emulated_device();
    KnobsPanel panel;
    auto* const knob = panel.findChild<Knob*>(QStringLiteral("relu variant"));
    ASSERT_NE(knob, nullptr);
    auto* const combo = panel.findChild<QComboBox*>(QStringLiteral("relu variantEdit"));
    ASSERT_NE(combo, nullptr);
    const auto graph = std::make_shared<const Graph>(
        build_graph(*find_model("simple-cnn"), Shape{1, 28, 28}, 10).value());
    const auto expect_shown = [&](bool shown) {
        EXPECT_EQ(knob->isVisibleTo(&panel), shown);
        EXPECT_EQ(knob->label()->isVisibleTo(&panel), shown);
        EXPECT_EQ(knob->note()->isVisibleTo(&panel), shown);
    };

    knob->setHint(QStringLiteral("Runs elsewhere."));
    expect_shown(false);
    DeviceInfo emulated;
    emulated.kind = DeviceKind::emulated;
    panel.setGraph(graph, false, 1, emulated);
    expect_shown(true);
    EXPECT_EQ(combo->count(), 3);  // with "auto"
    EXPECT_GE(combo->findData(QStringLiteral("wide")), 0);
    panel.setGraph(graph, false, 1, cpu_device());
    expect_shown(false);
}

TEST(KnobsOfDevices, AnOperatorThatEndsAFusedOneSaysWhereItRuns) {
    add_variants_of_emulated_device();
    KnobsPanel panel;
    auto* const knob = panel.findChild<Knob*>(QStringLiteral("relu variant"));
    ASSERT_NE(knob, nullptr);
    panel.setRunning(true);
    TrainerStatus now;
    now.variants_used = {{"batch_norm_relu", "fused_relu"}, {"conv2d", "direct"}};
    panel.setStatus(now);
    EXPECT_EQ(knob->note()->text().toStdString(), "Runs in batch_norm_relu (fused_relu).");
}

}  // namespace
}  // namespace trainscope::ui
