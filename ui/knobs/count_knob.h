// SPDX-License-Identifier: GPL-3.0-or-later
// A knob for a count: any number, and with its buttons halved, doubled, or a power of two from a
// menu that tells what each would cost.
#pragma once

#include <QSpinBox>
#include <QToolButton>
#include <cstdint>
#include <functional>
#include <optional>

#include "ui/knobs/knob.h"

namespace trainscope::ui {

class CountKnob : public Knob {
    Q_OBJECT

  public:
    enum class Buttons { none, scale, powers };  // powers: those of scale, too
    // From 1 on.
    CountKnob(const QString& name, const QString& title, Buttons buttons,
              QWidget* parent = nullptr);

    void commit() override;
    void setToolTips(const QString& what);
    void setLargest(int largest);  // that can be typed
    // Where doubling ends, such as at the samples there are; nullopt: at the largest.
    void setDoublingEnd(std::optional<std::int64_t> end) { doublingEnd_ = end; }
    // From 0 on, which is shown as these words; what is above has the suffix.
    void setZero(const QString& words, const QString& suffix);
    // What a value would cost, in a few words; asked when a menu or tool tip needs it.
    void setCost(std::function<QString(std::int64_t)> cost) { cost_ = std::move(cost); }

  protected:
    void display(const QVariant& value) override;
    bool editing() const override { return edited_; }
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QToolButton* addButton(const QString& text, const QString& name);
    void addScale();
    void addPowers();
    void fillPowers();
    std::int64_t halved() const;
    std::int64_t doubled() const;
    QString withCost(const QString& text, std::int64_t count) const;

    QSpinBox* spin_;
    QToolButton* half_ = nullptr;
    QToolButton* twice_ = nullptr;
    std::function<QString(std::int64_t)> cost_;
    std::optional<std::int64_t> doublingEnd_;
    bool edited_ = false;
    QString refused_;  // typed, and no value
};

}  // namespace trainscope::ui
