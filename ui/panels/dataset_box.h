// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of a data set, with what each kind of it needs.
#pragma once

#include <QGroupBox>
#include <QHash>
#include <array>
#include <string>
#include <vector>

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

    void setOptions(const DatasetOptions& options);             // emits nothing
    void writeTo(DatasetOptions& options) const;                // all but the seed
    void setClassNames(const std::vector<std::string>& names);  // empty: not known

  Q_SIGNALS:
    void changed();  // by the user

  private:
    void buildKind();
    void buildFolder();
    void buildSample();
    void buildRandom();
    void buildLimits();
    void addRow(QLabel* label, QWidget* field);
    void kindChosen();
    void browse();
    void showKind();
    bool choosesShape() const;  // of its samples
    bool mayResize() const;     // pictures of any size to one that is chosen
    const DatasetKind& kind() const;
    QString folder() const;

    QComboBox* kind_ = nullptr;
    ToneLabel* description_ = nullptr;
    QWidget* folderField_ = nullptr;
    QLineEdit* folder_ = nullptr;
    QLabel* classNames_ = nullptr;
    QCheckBox* resize_ = nullptr;
    QWidget* sample_ = nullptr;
    std::array<QSpinBox*, 3> shape_{};
    QWidget* random_ = nullptr;
    QSpinBox* classes_ = nullptr;
    QCheckBox* soft_ = nullptr;
    QSpinBox* train_ = nullptr;
    QSpinBox* test_ = nullptr;
    QHash<QString, QString> folders_;  // what was last chosen, by kind
    QString shown_;                    // the kind whose folder is shown
};

}  // namespace trainscope::ui
