// SPDX-License-Identifier: GPL-3.0-or-later
// Icons are SVG files in black; an engine of ours puts the palette's colour in when they are drawn,
// so that they follow a change between light and dark.
#include "ui/theme/icons.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QSvgRenderer>
#include <utility>

// The resources are in a static library, which has to be told that they are used.
static void useResources() {
    Q_INIT_RESOURCE(trainscope);
}

namespace trainscope::ui {

namespace {

class ThemedEngine : public QIconEngine {
  public:
    explicit ThemedEngine(QByteArray svg) : svg_(std::move(svg)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode,
               QIcon::State /*state*/) override {
        const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
        const auto role =
            mode == QIcon::Selected ? QPalette::HighlightedText : QPalette::WindowText;
        QByteArray coloured = svg_;
        coloured.replace(
            "#000", QApplication::palette().color(group, role).name(QColor::HexRgb).toLatin1());
        QSvgRenderer renderer(coloured);
        painter->setRenderHint(QPainter::Antialiasing);
        renderer.render(painter, rect);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return picture;
    }

    QIconEngine* clone() const override { return new ThemedEngine(svg_); }

  private:
    QByteArray svg_;
};

QString iconFile(const char* name) {
    useResources();
    return QStringLiteral(":/icons/%1.svg").arg(QLatin1String(name));
}

}  // namespace

QIcon themedIcon(const char* name) {
    QFile file(iconFile(name));
    if (!file.open(QIODevice::ReadOnly)) {
        qWarning("trainscope: there is no icon named %s.", name);
        return {};
    }
    return QIcon(new ThemedEngine(file.readAll()));
}

QIcon programIcon() {
    return QIcon(iconFile("trainscope"));
}

}  // namespace trainscope::ui
