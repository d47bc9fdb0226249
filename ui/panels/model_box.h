// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of a model: a preset, or a JSON file.
#pragma once

#include <QGroupBox>
#include <string>

class QComboBox;

namespace trainscope::ui {

class ToneLabel;

class ModelBox : public QGroupBox {
    Q_OBJECT

  public:
    explicit ModelBox(QWidget* parent = nullptr);

    void setModel(const std::string& presetOrFile);  // emits nothing
    std::string model() const;

  Q_SIGNALS:
    void changed();  // by the user
    void summaryRequested();

  private:
    void browse();
    void showDescription();

    QComboBox* model_;
    ToneLabel* description_;
};

}  // namespace trainscope::ui
