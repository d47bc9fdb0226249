// SPDX-License-Identifier: GPL-3.0-or-later
// Spin boxes as all panels have them.
#pragma once

#include <QSpinBox>
#include <QString>
#include <functional>

namespace trainscope::ui {

// With its line edit, which is protected: its changes tell typing from a value that was set.
template <class Box>
class LineSpin : public Box {
  public:
    using Box::Box;
    QLineEdit* line() const { return Box::lineEdit(); }
    // Called with what was typed and is no value, before the last value is shown again.
    std::function<void(const QString& text)> refused;
    void fixup(QString& text) const override {
        if (refused) {
            refused(text);
        }
        Box::fixup(text);
    }
};

// For whole numbers from `least` to `most`. The value changes with Return, not with each key.
inline QSpinBox* makeSpin(const char* name, int least, int most) {
    auto* spin = new QSpinBox;
    spin->setObjectName(QLatin1String(name));
    spin->setRange(least, most);
    spin->setKeyboardTracking(false);
    spin->setGroupSeparatorShown(true);
    return spin;
}

}  // namespace trainscope::ui
