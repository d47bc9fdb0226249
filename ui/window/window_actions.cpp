// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/window_actions.h"

#include <QCoreApplication>
#include <QMenuBar>

#include "ui/theme/icons.h"

namespace trainscope::ui {

namespace {

constexpr std::array<XAxisName, 4> axes = {{
    {XAxis::steps, "steps", QT_TRANSLATE_NOOP("window", "Steps")},
    {XAxis::samples, "samples", QT_TRANSLATE_NOOP("window", "Samples")},
    {XAxis::epochs, "epochs", QT_TRANSLATE_NOOP("window", "Epochs")},
    {XAxis::active_time, "active_time", QT_TRANSLATE_NOOP("window", "Active time")},
}};

QString translated(const char* text) {
    return QCoreApplication::translate("window", text);
}

// Makes actions of one window: a name to find it by, a text, what it does, an icon.
class Maker {
  public:
    explicit Maker(QMainWindow* window) : window_(window) {}

    QAction* make(const char* name, const char* text, const char* tip, const char* icon = nullptr,
                  const QList<QKeySequence>& shortcuts = {}) const {
        auto* action = new QAction(translated(text), window_);
        action->setObjectName(QLatin1String(name));
        action->setShortcuts(shortcuts);
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        action->setStatusTip(translated(tip));
        action->setToolTip(keys.isEmpty() ? translated(tip)
                                          : QStringLiteral("%1 (%2)").arg(translated(tip), keys));
        if (icon) {
            action->setIcon(themedIcon(icon));
        }
        window_->addAction(action);
        return action;
    }

    QAction* checkable(const char* name, const char* text, const char* tip,
                       const char* icon = nullptr,
                       const QList<QKeySequence>& shortcuts = {}) const {
        QAction* action = make(name, text, tip, icon, shortcuts);
        action->setCheckable(true);
        return action;
    }

    void choice(QActionGroup* group, const QString& name, const QString& text, int data) const {
        auto* action = new QAction(text, group);
        action->setObjectName(name);
        action->setCheckable(true);
        action->setData(data);
    }

  private:
    QMainWindow* window_;
};

QKeySequence key(QKeyCombination keys) {
    return QKeySequence(keys);
}

void makeRunActions(WindowActions& actions, const Maker& maker) {
    actions.start = maker.make("action_start", QT_TRANSLATE_NOOP("window", "&Start"),
                               QT_TRANSLATE_NOOP("window", "Start the training"), "start",
                               {key(Qt::Key_F5), key(Qt::CTRL | Qt::Key_R)});
    actions.step = maker.make("action_step", QT_TRANSLATE_NOOP("window", "Single St&ep"),
                              QT_TRANSLATE_NOOP("window", "Take one optimizer step, then pause"),
                              "step", {key(Qt::Key_F10)});
    actions.stop =
        maker.make("action_stop", QT_TRANSLATE_NOOP("window", "S&top"),
                   QT_TRANSLATE_NOOP("window", "End the training; what it recorded stays"), "stop",
                   {key(Qt::SHIFT | Qt::Key_F5)});
    actions.reset = maker.make("action_reset", QT_TRANSLATE_NOOP("window", "&Reset"),
                               QT_TRANSLATE_NOOP("window", "End the training and clear the charts"),
                               "reset", {key(Qt::CTRL | Qt::SHIFT | Qt::Key_R)});
    actions.evaluate =
        maker.make("action_evaluate", QT_TRANSLATE_NOOP("window", "E&valuate Now"),
                   QT_TRANSLATE_NOOP("window", "Measure loss and accuracy on the test split now"),
                   "evaluate", {key(Qt::Key_F6)});
    actions.summary = maker.make("action_summary", QT_TRANSLATE_NOOP("window", "Model Su&mmary..."),
                                 QT_TRANSLATE_NOOP("window", "Layers, shapes and parameters"),
                                 nullptr, {key(Qt::CTRL | Qt::Key_M)});
}

void makeFileActions(WindowActions& actions, const Maker& maker) {
    actions.exportRun =
        maker.make("action_export", QT_TRANSLATE_NOOP("window", "&Export..."),
                   QT_TRANSLATE_NOOP("window", "Write charts and logs of this run to files"),
                   "export", {key(Qt::CTRL | Qt::Key_E)});
    actions.exportPrevious =
        maker.make("action_export_previous", QT_TRANSLATE_NOOP("window", "Export &Previous Run..."),
                   QT_TRANSLATE_NOOP("window", "Write charts and logs of the run before this one"),
                   nullptr, {key(Qt::CTRL | Qt::SHIFT | Qt::Key_E)});
    actions.quit = maker.make("action_quit", QT_TRANSLATE_NOOP("window", "&Quit"),
                              QT_TRANSLATE_NOOP("window", "End the training and close the window"),
                              nullptr, {QKeySequence(QKeySequence::Quit)});
}

void makeChartActions(WindowActions& actions, const Maker& maker, QMainWindow* window) {
    actions.xAxis = new QActionGroup(window);
    for (const XAxisName& axis : axes) {
        maker.choice(actions.xAxis, QStringLiteral("action_x_") + QLatin1String(axis.name),
                     translated(axis.title), static_cast<int>(axis.axis));
    }
    actions.smoothing = new QActionGroup(window);
    for (std::size_t i = 0; i < smoothingLevels.size(); ++i) {
        maker.choice(actions.smoothing, QStringLiteral("action_smoothing_%1").arg(i),
                     smoothingTitle(smoothingLevels.at(i)), static_cast<int>(i));
    }
    actions.charts = new QActionGroup(window);
    actions.charts->setExclusionPolicy(QActionGroup::ExclusionPolicy::None);
    for (const ChartInfo& chart : chartTable()) {
        maker.choice(actions.charts, QStringLiteral("action_chart_") + QLatin1String(chart.name),
                     chartTitle(chart.id), static_cast<int>(chart.id));
    }
    actions.logLoss =
        maker.checkable("action_log_loss", QT_TRANSLATE_NOOP("window", "&Logarithmic Loss"),
                        QT_TRANSLATE_NOOP("window", "Show the loss on a logarithmic scale"),
                        "log-scale", {key(Qt::CTRL | Qt::Key_L)});
    actions.follow = maker.checkable("action_follow", QT_TRANSLATE_NOOP("window", "&Follow Latest"),
                                     QT_TRANSLATE_NOOP("window", "Keep the newest steps in view"),
                                     "follow", {key(Qt::CTRL | Qt::Key_F)});
    actions.fit = maker.make("action_fit", QT_TRANSLATE_NOOP("window", "Fit &All"),
                             QT_TRANSLATE_NOOP("window", "Show the whole run"), "fit",
                             {key(Qt::CTRL | Qt::Key_0)});
    actions.zoomIn = maker.make("action_zoom_in", QT_TRANSLATE_NOOP("window", "Zoom &In"),
                                QT_TRANSLATE_NOOP("window", "Show a shorter range"), "zoom-in",
                                {key(Qt::CTRL | Qt::Key_Plus), key(Qt::CTRL | Qt::Key_Equal)});
    actions.zoomOut = maker.make("action_zoom_out", QT_TRANSLATE_NOOP("window", "Zoom &Out"),
                                 QT_TRANSLATE_NOOP("window", "Show a longer range"), "zoom-out",
                                 {key(Qt::CTRL | Qt::Key_Minus)});
}

void makeWindowActions(WindowActions& actions, const Maker& maker) {
    actions.kernels =
        maker.make("action_kernels", QT_TRANSLATE_NOOP("window", "&Kernel Bench"),
                   QT_TRANSLATE_NOOP("window", "Measure the kernels of an operator or model"),
                   nullptr, {key(Qt::CTRL | Qt::Key_K)});
    actions.resetLayout =
        maker.make("action_reset_layout", QT_TRANSLATE_NOOP("window", "Reset &Layout"),
                   QT_TRANSLATE_NOOP("window", "Put all panels back to where they were at first"));
    actions.fullScreen = maker.checkable(
        "action_full_screen", QT_TRANSLATE_NOOP("window", "&Full Screen"),
        QT_TRANSLATE_NOOP("window", "Fill the screen"), nullptr, {key(Qt::Key_F11)});
    actions.shortcuts = maker.make(
        "action_shortcuts", QT_TRANSLATE_NOOP("window", "&Keyboard Shortcuts"),
        QT_TRANSLATE_NOOP("window", "List the keys of all actions"), nullptr, {key(Qt::Key_F1)});
    actions.about = maker.make("action_about", QT_TRANSLATE_NOOP("window", "&About Trainscope"),
                               QT_TRANSLATE_NOOP("window", "Version, libraries and licence"));
    actions.aboutQt = maker.make("action_about_qt", QT_TRANSLATE_NOOP("window", "About &Qt"),
                                 QT_TRANSLATE_NOOP("window", "The toolkit of this window"));
}

}  // namespace

std::span<const XAxisName> xAxisTable() {
    return axes;
}

QString smoothingTitle(double level) {
    return level > 0 ? QLocale().toString(level, 'g', 3) : translated("None");
}

WindowActions::WindowActions(QMainWindow* window) {
    const Maker maker(window);
    makeRunActions(*this, maker);
    makeFileActions(*this, maker);
    makeChartActions(*this, maker, window);
    makeWindowActions(*this, maker);
}

void WindowActions::showStart(Start what) const {
    static constexpr std::array<std::array<const char*, 3>, 3> looks = {{
        {QT_TRANSLATE_NOOP("window", "&Start"), QT_TRANSLATE_NOOP("window", "Start the training"),
         "start"},
        {QT_TRANSLATE_NOOP("window", "&Pause"), QT_TRANSLATE_NOOP("window", "Pause the training"),
         "pause"},
        {QT_TRANSLATE_NOOP("window", "Re&sume"), QT_TRANSLATE_NOOP("window", "Go on training"),
         "start"},
    }};
    const auto& look = looks.at(static_cast<std::size_t>(what));
    const QString text = translated(look[0]);
    if (start->text() == text) {
        return;
    }
    start->setText(text);
    start->setStatusTip(translated(look[1]));
    start->setToolTip(QStringLiteral("%1 (%2)").arg(
        translated(look[1]), start->shortcut().toString(QKeySequence::NativeText)));
    start->setIcon(themedIcon(look[2]));
}

void buildMenus(QMainWindow* window, const WindowActions& actions, const QList<QAction*>& panels) {
    QMenuBar* bar = window->menuBar();
    QMenu* file = bar->addMenu(translated("&File"));
    file->addActions({actions.exportRun, actions.exportPrevious});
    file->addSeparator();
    file->addAction(actions.quit);

    QMenu* training = bar->addMenu(translated("&Training"));
    training->addActions({actions.start, actions.step, actions.stop, actions.reset});
    training->addSeparator();
    training->addActions({actions.evaluate, actions.summary});

    QMenu* view = bar->addMenu(translated("&View"));
    view->addMenu(translated("&Charts"))->addActions(actions.charts->actions());
    view->addMenu(translated("&X Axis"))->addActions(actions.xAxis->actions());
    view->addMenu(translated("&Smoothing"))->addActions(actions.smoothing->actions());
    view->addActions({actions.logLoss, actions.follow});
    view->addSeparator();
    view->addActions({actions.fit, actions.zoomIn, actions.zoomOut});
    view->addSeparator();
    view->addAction(actions.kernels);
    view->addMenu(translated("&Panels"))->addActions(panels);
    view->addActions({actions.resetLayout, actions.fullScreen});

    QMenu* help = bar->addMenu(translated("&Help"));
    help->addAction(actions.shortcuts);
    help->addSeparator();
    help->addActions({actions.about, actions.aboutQt});
}

}  // namespace trainscope::ui
