// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of a data set, with what each kind of it needs.
#pragma once

#include <QGroupBox>
#include <QHash>
#include <array>

#include "engine/data/dataset.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace trainscope::ui {

class ToneLabel;

class DatasetBox : public QGroupBox {
    Q_OBJECT

  public:
    explicit DatasetBox(QWidget* parent = nullptr);

    void setOptions(const DatasetOptions& options);  // emits nothing
    void writeTo(DatasetOptions& options) const;     // all but the seed

  Q_SIGNALS:
    void changed();  // by the user

  private:
    void buildKind();
    void buildFolder();
    void buildRandom();
    void buildLimits();
    void addRow(QLabel* label, QWidget* field);
    void kindChosen();
    void browse();
    void showKind();
    const DatasetKind& kind() const;
    QString folder() const;

    QComboBox* kind_ = nullptr;
    ToneLabel* description_ = nullptr;
    QWidget* folderField_ = nullptr;
    QLineEdit* folder_ = nullptr;
    QWidget* random_ = nullptr;
    std::array<QSpinBox*, 3> shape_{};
    QSpinBox* classes_ = nullptr;
    QCheckBox* soft_ = nullptr;
    QSpinBox* train_ = nullptr;
    QSpinBox* test_ = nullptr;
    DatasetOptions given_;
    QHash<QString, QString> folders_;  // what was last chosen, by kind
    QString shown_;                    // the kind whose folder is shown
};

}  // namespace trainscope::ui
