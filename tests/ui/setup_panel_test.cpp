// SPDX-License-Identifier: GPL-3.0-or-later
// The setup: what is set comes back, and each kind of data asks for what it needs.
#include "ui/panels/setup_panel.h"

#include <gmock/gmock.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include "engine/core/device.h"

namespace trainscope::ui {
namespace {

class Setup : public ::testing::Test {
  protected:
    Setup() {
        QObject::connect(&panel, &SetupPanel::changed, [this] { ++changes; });
        QObject::connect(&panel, &SetupPanel::summaryRequested, [this] { ++summaries; });
    }
    template <class Widget>
    Widget& find(const char* name) {
        auto* widget = panel.findChild<Widget*>(QLatin1String(name));
        if (widget == nullptr) {
            throw std::logic_error(std::string("no widget is called ") + name);
        }
        return *widget;
    }
    bool shows(const char* name) { return find<QWidget>(name).isVisibleTo(&panel); }
    void choose(const char* name, const char* value) {
        auto& combo = find<QComboBox>(name);
        combo.setCurrentIndex(combo.findData(QLatin1String(value)));
        Q_EMIT combo.activated(combo.currentIndex());
    }
    RunSettings written() {
        RunSettings out;
        panel.writeTo(out);
        return out;
    }

    SetupPanel panel;
    int changes = 0;
    int summaries = 0;
};

TEST_F(Setup, WritesWhatWasSetAndLeavesTheKnobs) {
    RunSettings run;
    run.dataset.name = "mnist";
    run.dataset.folder = "/data/mnist";
    run.dataset.train_count = 5000;
    run.dataset.test_count = 1000;
    run.model = "bn-cnn";
    run.threads = 3;
    run.seed = 9'007'199'254'740'993;  // more than a double holds
    run.epochs = 5;
    panel.setRun(run);

    RunSettings out;
    out.micro_batch = 77;
    panel.writeTo(out);
    run.dataset.seed = run.seed;
    EXPECT_TRUE(sameDataset(out.dataset, run.dataset));
    EXPECT_EQ(out.model, "bn-cnn");
    EXPECT_EQ(out.device, "auto");
    EXPECT_EQ(out.threads, 3);
    EXPECT_EQ(out.seed, run.seed);
    EXPECT_EQ(out.epochs, 5);
    EXPECT_EQ(out.micro_batch, 77);
    EXPECT_EQ(changes, 0) << "what is set from outside is no change by the user";
}

TEST_F(Setup, OpensWithDataThatNeedNoFile) {
    EXPECT_EQ(written().dataset.name, "digits");
    EXPECT_FALSE(shows("datasetFolder"));
}

TEST_F(Setup, OffersEveryKindOfDataAndAsksForAFolderWhereOneIsNeeded) {
    for (const DatasetKind& kind : dataset_kinds()) {
        choose("dataset", kind.name.c_str());
        EXPECT_EQ(written().dataset.name, kind.name);
        EXPECT_EQ(shows("datasetFolder"), kind.needs_folder) << kind.name;
        EXPECT_EQ(shows("classes"), kind.name == "random") << kind.name;
    }
    EXPECT_EQ(changes, static_cast<int>(dataset_kinds().size()));
}

TEST_F(Setup, RandomDataHaveAShapeAndSoftLabelsOfChoice) {
    choose("dataset", "random");
    find<QSpinBox>("sampleSize0").setValue(1);
    find<QSpinBox>("sampleSize1").setValue(28);
    find<QSpinBox>("sampleSize2").setValue(20);
    find<QSpinBox>("classes").setValue(7);
    find<QCheckBox>("softLabels").click();
    const DatasetOptions options = written().dataset;
    EXPECT_EQ(options.sample, (Shape{1, 28, 20}));
    EXPECT_EQ(options.classes, 7);
    EXPECT_TRUE(options.soft_labels);

    choose("dataset", "digits");
    EXPECT_EQ(written().dataset.sample, Shape());
    EXPECT_FALSE(written().dataset.soft_labels) << "only random data have them";
}

TEST_F(Setup, PicturesOfAFolderAreResizedWhereThatIsChosen) {
    choose("dataset", "image-folder");
    EXPECT_FALSE(shows("sampleSize0"));
    EXPECT_EQ(written().dataset.sample, Shape()) << "the size of the first picture";
    find<QCheckBox>("resizePictures").click();
    EXPECT_TRUE(shows("sampleSize0"));
    find<QSpinBox>("sampleSize1").setValue(48);
    EXPECT_EQ(written().dataset.sample, (Shape{3, 48, 32}));

    RunSettings run;
    run.dataset.name = "image-folder";
    run.dataset.sample = Shape{1, 20, 30};
    panel.setRun(run);
    EXPECT_TRUE(find<QCheckBox>("resizePictures").isChecked());
    EXPECT_EQ(written().dataset.sample, (Shape{1, 20, 30}));
    choose("dataset", "mnist");
    EXPECT_FALSE(shows("resizePictures"));
    EXPECT_EQ(written().dataset.sample, Shape());
}

TEST_F(Setup, NamesTheClassesOnceTheyAreKnown) {
    EXPECT_FALSE(shows("classNames"));
    panel.setClassNames({"cat", "dog", "a <b> c"});
    EXPECT_TRUE(shows("classNames"));
    EXPECT_EQ(find<QLabel>("classNames").text(), QStringLiteral("3 classes: cat, dog, a <b> c"));
    EXPECT_EQ(find<QLabel>("classNames").toolTip(),
              QStringLiteral("<p>cat, dog, a &lt;b&gt; c</p>"));
    panel.setClassNames({});
    EXPECT_FALSE(shows("classNames"));
}

TEST_F(Setup, EachKindOfDataKeepsItsFolder) {
    choose("dataset", "mnist");
    find<QLineEdit>("datasetFolder").setText(QStringLiteral("/data/mnist"));
    choose("dataset", "cifar10");
    EXPECT_EQ(find<QLineEdit>("datasetFolder").text(), QString());
    choose("dataset", "mnist");
    EXPECT_EQ(written().dataset.folder, "/data/mnist");
    choose("dataset", "digits");
    EXPECT_EQ(written().dataset.folder, "");
}

TEST_F(Setup, AFolderMayBeTypedWithATildeOrDroppedAsAnAddress) {
    choose("dataset", "mnist");
    find<QLineEdit>("datasetFolder").setText(QStringLiteral(" ~/mnist "));
    EXPECT_EQ(written().dataset.folder,
              (QDir::homePath() + QStringLiteral("/mnist")).toStdString());
    find<QLineEdit>("datasetFolder").setText(QStringLiteral("file:///data/my%20mnist"));
    EXPECT_EQ(written().dataset.folder, "/data/my mnist");
}

TEST_F(Setup, ATypedFolderIsOneChange) {
    choose("dataset", "mnist");
    changes = 0;
    auto& folder = find<QLineEdit>("datasetFolder");
    QTest::keyClicks(&folder, QStringLiteral("/data"));
    EXPECT_EQ(changes, 0);
    QTest::keyClick(&folder, Qt::Key_Return);
    EXPECT_EQ(changes, 1);
}

TEST_F(Setup, NumbersTypedWithoutReturnCount) {
    auto& epochs = find<QSpinBox>("epochs");
    epochs.selectAll();
    QTest::keyClicks(&epochs, QStringLiteral("12"));
    EXPECT_EQ(written().epochs, 12);
}

TEST_F(Setup, OffersEveryPresetAndKeepsAFileAsAModel) {
    for (const ModelSpec& preset : model_presets()) {
        choose("model", preset.name.c_str());
        EXPECT_EQ(written().model, preset.name);
        EXPECT_EQ(find<QLabel>("modelDescription").text().toStdString(), preset.description);
    }
    RunSettings run;
    run.model = "/models/mine.json";
    panel.setRun(run);
    EXPECT_EQ(written().model, "/models/mine.json");
    EXPECT_EQ(find<QComboBox>("model").currentText(), QStringLiteral("mine.json"));
}

TEST_F(Setup, OffersTheDevicesOfThisMachineAndKeepsOneThatItHasNot) {
    for (const DeviceInfo& device : list_devices()) {
        choose("device", device.id.c_str());
        EXPECT_EQ(written().device, device.id);
    }
    RunSettings run;
    run.device = "cuda:7";
    panel.setRun(run);
    EXPECT_EQ(written().device, "cuda:7");
    EXPECT_THAT(find<QLabel>("deviceDescription").text().toStdString(),
                ::testing::HasSubstr("does not have it"));
}

TEST_F(Setup, ASeedThatIsNoneLeavesTheOldOne) {
    auto& seed = find<QLineEdit>("seed");
    seed.clear();
    RunSettings run;
    run.seed = 42;
    panel.writeTo(run);
    EXPECT_EQ(run.seed, 42U);
}

TEST_F(Setup, AsksForTheSummary) {
    find<QPushButton>("modelSummary").click();
    EXPECT_EQ(summaries, 1);
}

TEST_F(Setup, SaysThatAChoiceAppliesToTheNextStartWhileATrainingRuns) {
    EXPECT_FALSE(shows("appliesToNextStart"));
    panel.setLocked(true);
    EXPECT_TRUE(shows("appliesToNextStart"));
    EXPECT_TRUE(find<QComboBox>("model").isEnabled());
    panel.setLocked(false);
    EXPECT_FALSE(shows("appliesToNextStart"));
}

TEST_F(Setup, EveryFieldHasANameAndAToolTip) {
    for (const char* name : {"dataset", "datasetFolder", "classes", "trainLimit", "testLimit",
                             "model", "device", "threads", "seed", "epochs"}) {
        EXPECT_FALSE(find<QWidget>(name).accessibleName().isEmpty()) << name;
        EXPECT_FALSE(find<QWidget>(name).toolTip().isEmpty()) << name;
    }
}

}  // namespace
}  // namespace trainscope::ui
