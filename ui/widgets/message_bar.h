// SPDX-License-Identifier: GPL-3.0-or-later
// Messages above the charts, one at a time, which never block. Errors stay until closed, the newest
// on top: it is about what was just tried.
#pragma once

#include <QFrame>
#include <QString>
#include <memory>

namespace trainscope::ui {

class MessageBar : public QFrame {
    Q_OBJECT

  public:
    explicit MessageBar(QWidget* parent = nullptr);
    ~MessageBar() override;

    // The first line is shown, the rest behind Details. A message that is already there is counted
    // and not shown twice.
    void showError(const QString& text);
    // Goes by itself after a while; an error goes before it. `folder`, where it is about files, is
    // offered to be opened.
    void showNotice(const QString& text, const QString& folder = {});

    QString text() const;  // what is shown; empty: nothing
    int waiting() const;   // messages behind it

  protected:
    void changeEvent(QEvent* event) override;

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace trainscope::ui
