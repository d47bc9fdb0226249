// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStyle>
#include <QTimer>
#include <QUrl>
#include <algorithm>
#include <chrono>
#include <deque>

#include "ui/theme/palette.h"

namespace trainscope::ui {

namespace {

constexpr std::chrono::seconds noticeTime{8};

struct Message {
    QString text;
    bool error = false;
    QString folder = {};
    int times = 1;
};

}  // namespace

class MessageBar::Private {
  public:
    explicit Private(MessageBar& bar) : bar_(bar) {}

    void build();
    void add(Message message);
    void close();
    void showFirst();
    void applyColors();

    std::deque<Message> messages;  // the first is shown; errors, the newest first, then notices

  private:
    QPushButton* addButton(const QString& text, const char* name);
    void showIcon(bool error);

    MessageBar& bar_;
    QLabel* icon_ = nullptr;
    QLabel* text_ = nullptr;
    QLabel* count_ = nullptr;
    QPlainTextEdit* details_ = nullptr;
    QPushButton* detailsButton_ = nullptr;
    QPushButton* openButton_ = nullptr;
    QTimer* timer_ = nullptr;
};

void MessageBar::Private::build() {
    bar_.setFrameShape(QFrame::StyledPanel);
    bar_.setAutoFillBackground(true);
    icon_ = new QLabel;
    text_ = new QLabel;
    text_->setObjectName(QStringLiteral("messageText"));
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    count_ = new QLabel;
    count_->setObjectName(QStringLiteral("messageCount"));
    details_ = new QPlainTextEdit;
    details_->setObjectName(QStringLiteral("messageDetails"));
    details_->setAccessibleName(tr("Details of the message"));
    details_->setReadOnly(true);
    details_->setTabChangesFocus(true);
    details_->setMaximumHeight(details_->fontMetrics().lineSpacing() * 7);
    timer_ = new QTimer(&bar_);
    timer_->setSingleShot(true);
    timer_->setInterval(noticeTime);
    connect(timer_, &QTimer::timeout, &bar_, [this] { close(); });

    auto* grid = new QGridLayout(&bar_);
    grid->setColumnStretch(1, 1);
    grid->addWidget(icon_, 0, 0, Qt::AlignTop);
    grid->addWidget(text_, 0, 1);
    grid->addWidget(count_, 0, 2);
    detailsButton_ = addButton(tr("Details"), "messageShowDetails");
    detailsButton_->setCheckable(true);
    openButton_ = addButton(tr("Open Folder"), "messageOpenFolder");
    openButton_->setToolTip(tr("Show the files in the system's file manager"));
    QPushButton* copy = addButton(tr("Copy"), "messageCopy");
    copy->setToolTip(tr("Copy the message to the clipboard"));
    QPushButton* closeButton = addButton(tr("Close"), "messageClose");
    closeButton->setToolTip(tr("Close the message; the next one is shown"));
    grid->addWidget(details_, 1, 1, 1, grid->columnCount() - 1);
    connect(detailsButton_, &QPushButton::toggled, details_, &QWidget::setVisible);
    connect(copy, &QPushButton::clicked, &bar_, [this] {
        if (!messages.empty()) {
            QGuiApplication::clipboard()->setText(messages.front().text);
        }
    });
    connect(openButton_, &QPushButton::clicked, &bar_, [this] {
        if (!messages.empty()) {
            QDesktopServices::openUrl(QUrl::fromLocalFile(messages.front().folder));
        }
    });
    connect(closeButton, &QPushButton::clicked, &bar_, [this] { close(); });
    applyColors();
    showFirst();
}

QPushButton* MessageBar::Private::addButton(const QString& text, const char* name) {
    auto* button = new QPushButton(text);
    button->setObjectName(QLatin1String(name));
    button->setAutoDefault(false);
    auto* grid = static_cast<QGridLayout*>(bar_.layout());
    grid->addWidget(button, 0, grid->columnCount(), Qt::AlignTop);
    return button;
}

void MessageBar::Private::add(Message message) {
    const auto same = std::find_if(messages.begin(), messages.end(), [&](const Message& other) {
        return message.text == other.text && message.error == other.error;
    });
    const bool onTop = !messages.empty() && same == messages.begin();
    if (same != messages.end()) {
        message.times = same->times + 1;
        messages.erase(same);
    }
    if (message.error && !onTop) {
        detailsButton_->setChecked(false);  // those of another
    }
    messages.insert(message.error ? messages.begin() : messages.end(), message);
    showFirst();
}

void MessageBar::Private::close() {
    if (!messages.empty()) {
        messages.pop_front();
    }
    detailsButton_->setChecked(false);
    showFirst();
}

void MessageBar::Private::showFirst() {
    if (messages.empty()) {
        timer_->stop();
        text_->clear();
        bar_.hide();
        return;
    }
    const Message& message = messages.front();
    const QString first = message.text.section(QLatin1Char('\n'), 0, 0);
    text_->setText(message.times > 1 ? tr("%1 (%2 times)").arg(first).arg(message.times) : first);
    count_->setText(tr("1 of %1").arg(messages.size()));
    count_->setVisible(messages.size() > 1);
    const QString rest = message.text.section(QLatin1Char('\n'), 1).trimmed();
    details_->setPlainText(rest);
    detailsButton_->setVisible(!rest.isEmpty());
    openButton_->setVisible(!message.folder.isEmpty());
    details_->setVisible(!rest.isEmpty() && detailsButton_->isChecked());
    showIcon(message.error);
    applyColors();
    if (message.error) {
        timer_->stop();
    } else {
        timer_->start();
    }
    bar_.show();
}

void MessageBar::Private::showIcon(bool error) {
    const QIcon icon = bar_.style()->standardIcon(error ? QStyle::SP_MessageBoxCritical
                                                        : QStyle::SP_MessageBoxInformation);
    const int side = bar_.fontMetrics().height() * 5 / 4;
    icon_->setPixmap(icon.pixmap(QSize(side, side), bar_.devicePixelRatioF()));
    bar_.setAccessibleName(error ? tr("Error") : tr("Notice"));
}

void MessageBar::Private::applyColors() {
    const Colors& colors = colorsFor(QGuiApplication::palette());
    const bool error = !messages.empty() && messages.front().error;
    QPalette own;  // names only what differs, so that the rest is inherited
    own.setColor(QPalette::Window, error ? colors.error_ground : colors.pending_ground);
    own.setColor(QPalette::WindowText, colors.text);
    if (own != bar_.palette() || own.resolveMask() != bar_.palette().resolveMask()) {
        bar_.setPalette(own);
    }
}

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), d_(std::make_unique<Private>(*this)) {
    d_->build();
}
MessageBar::~MessageBar() = default;

void MessageBar::showError(const QString& text) {
    d_->add({.text = text, .error = true});
}

void MessageBar::showNotice(const QString& text, const QString& folder) {
    d_->add({.text = text, .folder = folder});
}

QString MessageBar::text() const {
    return d_->messages.empty() ? QString() : d_->messages.front().text;
}

int MessageBar::waiting() const {
    return std::max(0, static_cast<int>(d_->messages.size()) - 1);
}

void MessageBar::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange) {
        d_->applyColors();
    }
}

}  // namespace trainscope::ui
