// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/chart_controls.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>

#include "ui/theme/icons.h"
#include "ui/widgets/menu_button.h"

namespace trainscope::ui {

namespace {

int nearestSmoothing(double level) {
    const auto* nearest = std::min_element(
        smoothingLevels.begin(), smoothingLevels.end(),
        [level](double a, double b) { return std::abs(a - level) < std::abs(b - level); });
    return static_cast<int>(nearest - smoothingLevels.begin());
}

QAction* actionOf(const QActionGroup* group, int data) {
    for (QAction* action : group->actions()) {
        if (action->data().toInt() == data) {
            return action;
        }
    }
    return nullptr;
}

}  // namespace

ChartControls::ChartControls(ChartPanel* charts, const WindowActions& actions, QObject* parent)
    : QObject(parent), charts_(charts), actions_(actions) {
    connect(actions.xAxis, &QActionGroup::triggered, charts, [charts](const QAction* action) {
        charts->setXAxis(static_cast<XAxis>(action->data().toInt()));
    });
    connect(actions.smoothing, &QActionGroup::triggered, this,
            [this](const QAction* action) { setSmoothing(action->data().toInt()); });
    connect(actions.charts, &QActionGroup::triggered, charts, [charts](const QAction* action) {
        charts->setChartVisible(static_cast<ChartId>(action->data().toInt()), action->isChecked());
    });
    connect(actions.logLoss, &QAction::toggled, charts, &ChartPanel::setLogLoss);
    connect(actions.follow, &QAction::toggled, charts, &ChartPanel::setFollow);
    connect(charts, &ChartPanel::followChanged, actions.follow, &QAction::setChecked);
    connect(actions.fit, &QAction::triggered, charts, &ChartPanel::fitAll);
    connect(actions.zoomIn, &QAction::triggered, charts,
            [charts] { charts->zoom(ChartPanel::zoom_step); });
    connect(actions.zoomOut, &QAction::triggered, charts,
            [charts] { charts->zoom(1 / ChartPanel::zoom_step); });
}

void ChartControls::choose(QActionGroup* group, int data) {
    if (QAction* action = actionOf(group, data)) {
        action->setChecked(true);
    }
}

void ChartControls::setSmoothing(int index) {
    smoothing_ = index;
    choose(actions_.smoothing, index);
    charts_->setSmoothing(smoothingLevels.at(static_cast<std::size_t>(index)));
}

QToolBar* ChartControls::makeBar(QWidget* parent) {
    auto* bar = new QToolBar(tr("Charts"), parent);
    bar->setObjectName(QStringLiteral("chart_bar"));
    bar->setIconSize(QSize(18, 18));

    bar->addWidget(makeAxisChoice(bar));
    bar->addSeparator();
    bar->addActions({actions_.follow, actions_.fit, actions_.zoomIn, actions_.zoomOut});
    bar->addSeparator();
    bar->addAction(actions_.logLoss);
    bar->addSeparator();
    bar->addWidget(makeSmoothing(bar));

    auto* space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);

    auto* menu = new QMenu(tr("Charts"), bar);
    menu->addActions(actions_.charts->actions());
    auto* button = new MenuButton(bar);
    button->setObjectName(QStringLiteral("charts_button"));
    button->setText(tr("Charts"));
    button->setToolTip(tr("Choose which charts are shown"));
    button->setIcon(themedIcon("charts"));
    button->setMenu(menu);
    bar->addWidget(button);
    return bar;
}

QWidget* ChartControls::makeAxisChoice(QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(4, 0, 4, 0);
    auto* axis = new QComboBox(box);
    axis->setObjectName(QStringLiteral("x_axis"));
    axis->setToolTip(tr("What the charts share as their horizontal axis"));
    for (const QAction* action : actions_.xAxis->actions()) {
        axis->addItem(action->text(), action->data());
    }
    const auto showAxis = [axis](const QAction* action) {
        const QSignalBlocker quiet(axis);
        axis->setCurrentIndex(axis->findData(action->data()));
    };
    for (const QAction* action : actions_.xAxis->actions()) {
        connect(action, &QAction::toggled, axis, [showAxis, action](bool on) {
            if (on) {
                showAxis(action);
            }
        });
        if (action->isChecked()) {
            showAxis(action);
        }
    }
    connect(axis, &QComboBox::activated, this, [this, axis] {
        if (QAction* action = actionOf(actions_.xAxis, axis->currentData().toInt())) {
            action->trigger();
        }
    });
    auto* label = new QLabel(tr("X axis"), box);
    label->setBuddy(axis);
    row->addWidget(label);
    row->addWidget(axis);
    return box;
}

QWidget* ChartControls::makeSmoothing(QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(4, 0, 4, 0);
    auto* slider = new QSlider(Qt::Horizontal, box);
    slider->setObjectName(QStringLiteral("smoothing"));
    slider->setRange(0, static_cast<int>(smoothingLevels.size()) - 1);
    slider->setPageStep(1);
    slider->setFixedWidth(90);
    slider->setToolTip(tr("How much of the past a smoothed curve keeps"));
    auto* label = new QLabel(tr("Smoothing"), box);
    label->setBuddy(slider);
    auto* value = new QLabel(box);
    value->setMinimumWidth(value->fontMetrics().horizontalAdvance(QStringLiteral("0.9999")));
    for (const QAction* action : actions_.smoothing->actions()) {
        connect(action, &QAction::toggled, slider, [slider, value, action](bool on) {
            if (on) {
                const QSignalBlocker quiet(slider);
                slider->setValue(action->data().toInt());
                value->setText(action->text());
            }
        });
    }
    slider->setValue(smoothing_);
    value->setText(smoothingTitle(smoothingLevels.at(static_cast<std::size_t>(smoothing_))));
    connect(slider, &QSlider::valueChanged, this, &ChartControls::setSmoothing);
    row->addWidget(label);
    row->addWidget(slider);
    row->addWidget(value);
    return box;
}

void ChartControls::load(const QSettings& settings) {
    const QString axis = settings.value(QStringLiteral("view/x_axis")).toString();
    XAxis chosen = charts_->xAxis();
    for (const XAxisName& known : xAxisTable()) {
        if (axis == QLatin1String(known.name)) {
            chosen = known.axis;
        }
    }
    charts_->setXAxis(chosen);
    choose(actions_.xAxis, static_cast<int>(chosen));

    bool right = false;
    const double smoothing = settings.value(QStringLiteral("view/smoothing")).toDouble(&right);
    setSmoothing(nearestSmoothing(right ? smoothing : charts_->smoothing()));

    actions_.logLoss->setChecked(
        settings.value(QStringLiteral("view/log_loss"), charts_->logLoss()).toBool());
    actions_.follow->setChecked(
        settings.value(QStringLiteral("view/follow"), charts_->follow()).toBool());

    const bool remembered = settings.contains(QStringLiteral("view/charts"));
    const QStringList names = settings.value(QStringLiteral("view/charts")).toStringList();
    for (const ChartInfo& chart : chartTable()) {
        const bool shown =
            remembered ? names.contains(QLatin1String(chart.name)) : chart.shown_at_first;
        charts_->setChartVisible(chart.id, shown);
        if (QAction* action = actionOf(actions_.charts, static_cast<int>(chart.id))) {
            action->setChecked(shown);
        }
    }
}

void ChartControls::save(QSettings& settings) const {
    for (const XAxisName& known : xAxisTable()) {
        if (known.axis == charts_->xAxis()) {
            settings.setValue(QStringLiteral("view/x_axis"), QLatin1String(known.name));
        }
    }
    settings.setValue(QStringLiteral("view/smoothing"), charts_->smoothing());
    settings.setValue(QStringLiteral("view/log_loss"), charts_->logLoss());
    settings.setValue(QStringLiteral("view/follow"), charts_->follow());
    QStringList names;
    for (const ChartInfo& chart : chartTable()) {
        if (charts_->chartVisible(chart.id)) {
            names << QLatin1String(chart.name);
        }
    }
    settings.setValue(QStringLiteral("view/charts"), names);
}

}  // namespace trainscope::ui
