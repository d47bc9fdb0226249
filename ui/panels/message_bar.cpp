// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/message_bar.h"

namespace trainscope::ui {

class MessageBar::Private {
  public:
    QString text;
};

MessageBar::MessageBar(QWidget* parent) : QFrame(parent), d_(std::make_unique<Private>()) {}
MessageBar::~MessageBar() = default;

void MessageBar::showError(const QString& text) {
    d_->text = text;
}
void MessageBar::showNotice(const QString& text) {
    d_->text = text;
}
QString MessageBar::text() const {
    return d_->text;
}
int MessageBar::waiting() const {
    return 0;
}
void MessageBar::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
}

}  // namespace trainscope::ui
