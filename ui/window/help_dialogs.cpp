// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/help_dialogs.h"

#include <QAction>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "engine/core/build_info.h"
#include "ui/theme/icons.h"

namespace trainscope::ui {

namespace {

QString plain(QString text) {
    return text.remove(QLatin1Char('&')).remove(QStringLiteral("..."));
}

QList<std::pair<QString, QString>> shortcutsOf(const QWidget& window) {
    QList<std::pair<QString, QString>> rows;
    for (const QAction* action : window.actions()) {
        if (action->shortcuts().isEmpty()) {
            continue;
        }
        const QString text = action->objectName() == QLatin1String("action_start")
                                 ? AboutDialog::tr("Start, pause, resume")
                                 : plain(action->text());
        rows.append(
            {text, QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText)});
    }
    return rows;
}

// What ChartPanel::keyPressEvent does.
QList<std::pair<QString, QString>> chartKeys() {
    return {{ShortcutsDialog::tr("In a chart: zoom in, out"), QStringLiteral("+, -")},
            {ShortcutsDialog::tr("In a chart: earlier, later data"),
             QKeySequence(Qt::Key_Left).toString(QKeySequence::NativeText) + QStringLiteral(", ") +
                 QKeySequence(Qt::Key_Right).toString(QKeySequence::NativeText)},
            {ShortcutsDialog::tr("In a chart: to the start, to the end"),
             QKeySequence(Qt::Key_Home).toString(QKeySequence::NativeText) + QStringLiteral(", ") +
                 QKeySequence(Qt::Key_End).toString(QKeySequence::NativeText)},
            {ShortcutsDialog::tr("In a chart: give up a drag"),
             QKeySequence(Qt::Key_Escape).toString(QKeySequence::NativeText)}};
}

// The versions as label and value.
QList<std::pair<QString, QString>> versions() {
    const BuildInfo& build = build_info();
    QList<std::pair<QString, QString>> rows = {
        {AboutDialog::tr("Version"), QString::fromStdString(build.version)},
        {AboutDialog::tr("Built with"),
         QStringLiteral("%1, %2").arg(QString::fromStdString(build.compiler),
                                      QString::fromStdString(build.build_type))},
        {QStringLiteral("Qt"), QString::fromLatin1(qVersion())}};
    for (const auto& [name, version] : library_versions()) {
        rows.append({QString::fromStdString(name), QString::fromStdString(version)});
    }
    return rows;
}

}  // namespace

ShortcutsDialog::ShortcutsDialog(const QWidget& window, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Keyboard Shortcuts"));
    const auto rows = shortcutsOf(window) + chartKeys();
    auto* table = new QTableWidget(static_cast<int>(rows.size()), 2, this);
    table->setHorizontalHeaderLabels({tr("What it does"), tr("Keys")});
    table->verticalHeader()->hide();
    table->setShowGrid(false);
    table->setAlternatingRowColors(true);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setStretchLastSection(true);
    for (int row = 0; row < table->rowCount(); ++row) {
        table->setItem(row, 0, new QTableWidgetItem(rows[row].first));
        table->setItem(row, 1, new QTableWidgetItem(rows[row].second));
    }
    table->resizeColumnToContents(0);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(table);
    column->addWidget(buttons);
    resize(460, 600);
}

AboutDialog::AboutDialog(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("About Trainscope"));
    auto* picture = new QLabel(this);
    picture->setPixmap(programIcon().pixmap(QSize(72, 72), devicePixelRatio()));
    picture->setAlignment(Qt::AlignTop);
    auto* heading = new QLabel(
        tr("<h2>Trainscope</h2><p>An oscilloscope with knobs for training neural networks.</p>"),
        this);
    heading->setWordWrap(true);
    auto* head = new QHBoxLayout;
    head->addWidget(picture);
    head->addSpacing(12);
    head->addWidget(heading, 1);

    auto* form = new QFormLayout;
    QString text = QStringLiteral("Trainscope\n");
    for (const auto& [name, version] : versions()) {
        auto* value = new QLabel(version, this);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        form->addRow(name + QLatin1Char(':'), value);
        text += QStringLiteral("%1: %2\n").arg(name, version);
    }
    auto* licence = new QLabel(
        tr("Free software under the GNU General Public License, version 3 or later. It comes "
           "with no warranty."),
        this);
    licence->setWordWrap(true);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QPushButton* copy = buttons->addButton(tr("Copy Versions"), QDialogButtonBox::ActionRole);
    connect(copy, &QPushButton::clicked, this,
            [text] { QGuiApplication::clipboard()->setText(text); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* column = new QVBoxLayout(this);
    column->addLayout(head);
    column->addLayout(form);
    column->addSpacing(8);
    column->addWidget(licence);
    column->addWidget(buttons);
    setMinimumWidth(420);
}

}  // namespace trainscope::ui
