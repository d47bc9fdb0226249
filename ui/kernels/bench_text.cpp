// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kernels/bench_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <cmath>

namespace trainscope::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("kernels", text);
}

}  // namespace

QString errorText(const BenchError& error) {
    return std::isnan(error.relative_l2) ? QStringLiteral("NaN")
                                         : QString::number(error.relative_l2, 'e', 1);
}

QString passText(const std::string& pass) {
    if (pass == "forward") {
        return tr(QT_TRANSLATE_NOOP("kernels", "forward"));
    }
    return pass == "backward" ? tr(QT_TRANSLATE_NOOP("kernels", "backward"))
                              : QString::fromStdString(pass);
}

QString itemText(const BenchRow& row) {
    const QString shape = QString::fromStdString(row.op + " " + row.shape);
    return row.layer.empty()
               ? shape
               : QStringLiteral("%1: %2").arg(QString::fromStdString(row.layer), shape);
}

bool sameItem(const BenchRow& a, const BenchRow& b) {
    return a.op == b.op && a.shape == b.shape;
}

QString noteText(const BenchRow& row) {
    if (!row.refusal.empty()) {
        return tr(QT_TRANSLATE_NOOP("kernels", "left out: %1"))
            .arg(QString::fromStdString(row.refusal));
    }
    QStringList notes;
    if (!row.trainable) {
        notes << tr(QT_TRANSLATE_NOOP("kernels", "for teaching only"));
    }
    if (row.error && !row.error->within_bound()) {
        notes << tr(QT_TRANSLATE_NOOP("kernels", "error above its bound (%1)"))
                     .arg(QString::fromStdString(row.error->tensor));
    }
    if (row.error && row.error->shape != row.shape) {
        notes << tr(QT_TRANSLATE_NOOP("kernels", "error measured at %1"))
                     .arg(QString::fromStdString(row.error->shape));
    }
    return notes.join(QStringLiteral("; "));
}

QString emulationText() {
    return tr(QT_TRANSLATE_NOOP("kernels", "Emulation: times say nothing of a GPU."));
}

}  // namespace trainscope::ui
