// SPDX-License-Identifier: GPL-3.0-or-later
// Messages wait for each other, the newest error first, and errors stay until they are closed.
#include "ui/widgets/message_bar.h"

#include <gmock/gmock.h>

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>
#include <QUrl>

namespace trainscope::ui {

// In the place of the system's.
class FileManager : public QObject {
    Q_OBJECT

  public:
    Q_INVOKABLE void open(const QUrl& folder) { url = folder; }
    QUrl url;
};

namespace {

class Messages : public ::testing::Test {
  protected:
    QPushButton& button(const char* name) {
        return *bar.findChild<QPushButton*>(QLatin1String(name));
    }
    std::string shown() { return bar.text().toStdString(); }
    // The notice's time is over, without waiting for it.
    bool timeOut() {
        auto* timer = bar.findChild<QTimer*>();
        if (!timer->isActive()) {
            return false;
        }
        timer->setInterval(0);
        QApplication::processEvents();
        QApplication::processEvents();
        return true;
    }
    MessageBar bar;
};

TEST_F(Messages, NothingIsShownWhileThereIsNothingToSay) {
    EXPECT_FALSE(bar.isVisibleTo(nullptr));
    bar.showError(QStringLiteral("a"));
    EXPECT_TRUE(bar.isVisible());
    button("messageClose").click();
    EXPECT_FALSE(bar.isVisible());
    EXPECT_EQ(shown(), "");
}

TEST_F(Messages, TheNewestErrorIsShownAndThoseBeforeItAfterIt) {
    bar.showError(QStringLiteral("first"));
    bar.showError(QStringLiteral("second"));
    EXPECT_EQ(shown(), "second");
    EXPECT_EQ(bar.waiting(), 1);
    EXPECT_EQ(bar.findChild<QLabel*>(QStringLiteral("messageCount"))->text(),
              QStringLiteral("1 of 2"));
    button("messageClose").click();
    EXPECT_EQ(shown(), "first");
}

TEST_F(Messages, AnErrorThatComesAgainIsTheNewest) {
    bar.showError(QStringLiteral("first"));
    bar.showError(QStringLiteral("second\nand more"));
    button("messageShowDetails").click();
    bar.showError(QStringLiteral("first"));
    EXPECT_EQ(shown(), "first");
    EXPECT_EQ(bar.waiting(), 1);
    EXPECT_FALSE(button("messageShowDetails").isChecked());
}

TEST_F(Messages, AnErrorGoesBeforeANotice) {
    bar.showNotice(QStringLiteral("notice"));
    bar.showError(QStringLiteral("error"));
    EXPECT_EQ(shown(), "error");
    button("messageClose").click();
    EXPECT_EQ(shown(), "notice");
}

TEST_F(Messages, ANoticeAboutFilesOffersToOpenTheirFolder) {
    FileManager opened;
    bar.showNotice(QStringLiteral("Exported 3 files."), QStringLiteral("/runs/a b"));
    bar.showNotice(QStringLiteral("notice"));
    ASSERT_TRUE(button("messageOpenFolder").isVisible());
    QDesktopServices::setUrlHandler(QStringLiteral("file"), &opened, "open");
    button("messageOpenFolder").click();
    QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
    EXPECT_EQ(opened.url, QUrl::fromLocalFile(QStringLiteral("/runs/a b")));
    button("messageClose").click();
    EXPECT_EQ(shown(), "notice");
    EXPECT_FALSE(button("messageOpenFolder").isVisible());
}

TEST_F(Messages, ANoticeGoesByItselfAndAnErrorStays) {
    bar.showNotice(QStringLiteral("notice"));
    EXPECT_TRUE(timeOut());
    EXPECT_EQ(shown(), "");
    bar.showError(QStringLiteral("error"));
    EXPECT_FALSE(timeOut());
    EXPECT_EQ(shown(), "error");
}

TEST_F(Messages, ARepeatedMessageIsCounted) {
    for (int i = 0; i < 3; ++i) {
        bar.showError(QStringLiteral("It does not fit."));
    }
    EXPECT_EQ(bar.waiting(), 0);
    EXPECT_EQ(bar.findChild<QLabel*>(QStringLiteral("messageText"))->text(),
              QStringLiteral("It does not fit. (3 times)"));
}

TEST_F(Messages, FurtherLinesAreBehindDetailsAndCopiedToo) {
    bar.showError(QStringLiteral("One line."));
    EXPECT_FALSE(button("messageShowDetails").isVisibleTo(&bar));
    button("messageClose").click();
    bar.showError(QStringLiteral("What happened.\nWhere.\nWhy."));
    EXPECT_EQ(bar.findChild<QLabel*>(QStringLiteral("messageText"))->text(),
              QStringLiteral("What happened."));
    auto* details = bar.findChild<QPlainTextEdit*>(QStringLiteral("messageDetails"));
    EXPECT_FALSE(details->isVisible());
    button("messageShowDetails").click();
    EXPECT_TRUE(details->isVisible());
    EXPECT_EQ(details->toPlainText(), QStringLiteral("Where.\nWhy."));
    button("messageCopy").click();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("What happened.\nWhere.\nWhy."));
}

TEST_F(Messages, TextFromFilesIsNotReadAsMarkup) {
    bar.showError(QStringLiteral("<b>bold.json</b>: bad"));
    EXPECT_EQ(bar.findChild<QLabel*>(QStringLiteral("messageText"))->textFormat(), Qt::PlainText);
}

}  // namespace
}  // namespace trainscope::ui

#include "message_bar_test.moc"
