// SPDX-License-Identifier: GPL-3.0-or-later
// The program of the window's tests: one offscreen QApplication whose style, locale, font and
// scale do not depend on the machine.
#include <gmock/gmock.h>

#include <QApplication>
#include <QFont>
#include <QLocale>
#include <QStandardPaths>
#include <QStyleFactory>

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", "1");
    qputenv("QT_LOGGING_RULES", "qt.qpa.fonts=false");
    testing::InitGoogleMock(&argc, argv);
    const QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    QLocale::setDefault(QLocale::c());
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication::setFont(QFont(QStringLiteral("DejaVu Sans"), 9));
    return RUN_ALL_TESTS();
}
