// SPDX-License-Identifier: GPL-3.0-or-later
// A line of wrapped text in a tone; it follows a change between light and dark.
#pragma once

#include <QLabel>
#include <optional>

namespace trainscope::ui {

enum class Tone { error, warning, quiet };

class ToneLabel : public QLabel {
    Q_OBJECT

  public:
    explicit ToneLabel(std::optional<Tone> tone = std::nullopt, QWidget* parent = nullptr);

    void setTone(std::optional<Tone> tone);  // nullopt: as other text

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void applyTone();

    std::optional<Tone> tone_;
};

}  // namespace trainscope::ui
