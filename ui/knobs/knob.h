// SPDX-License-Identifier: GPL-3.0-or-later
// One knob: a value that is shown, the one that runs, and what became of the last turn. Subclasses
// are the controls that show and turn a value.
#pragma once

#include <QLabel>
#include <QString>
#include <QVariant>
#include <QWidget>

namespace trainscope::ui {

class ToneLabel;

class Knob : public QWidget {
    Q_OBJECT

  public:
    // `title` has the mnemonic: "Micro-&batch".
    Knob(const QString& name, const QString& title, QWidget* parent = nullptr);

    // The label before the knob and the line under it, to be laid out by whoever owns the knob.
    QLabel* label() const { return label_; }
    QLabel* note() const;

    QVariant value() const { return value_; }
    void setValue(const QVariant& value);  // shown and running; clears what a turn left
    // Shown too, unless it is edited or waits: then what a turn left is over. True: something else
    // is shown now.
    bool setRunning(const QVariant& running);
    // False: there is nothing to choose here; knob, label and note are gone.
    void setOffered(bool offered);
    // What a turn that is refused goes back to; shows nothing.
    void setApplied(const QVariant& running) { running_ = running; }
    virtual void commit() {}  // takes over what has been typed

    bool pending() const { return pending_; }
    void setPending();
    void setAnswer(bool applied, const QString& reason);
    void setHint(const QString& hint);  // under the knob, unless a reason is there

  Q_SIGNALS:
    void turned();                          // by the user, to value()
    void previewed(const QVariant& value);  // before it is turned; invalid: no more

  protected:
    virtual void display(const QVariant& value) = 0;
    virtual bool editing() const { return false; }
    void setControl(QWidget* control);  // what the label's mnemonic goes to
    void turn(const QVariant& value);
    void refuse(const QString& reason);  // what was typed is no value
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;  // Escape: back to the value

  private:
    void showState();

    QString title_;
    QLabel* label_;
    ToneLabel* note_;
    QVariant value_;
    QVariant running_;
    QString reason_;
    QString hint_;
    bool pending_ = false;
    bool offered_ = true;
};

}  // namespace trainscope::ui
