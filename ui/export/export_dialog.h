// SPDX-License-Identifier: GPL-3.0-or-later
// Asks what is to be exported and where to. It writes nothing but the answer.
#pragma once

#include <QDialog>
#include <memory>

#include "ui/export/export_choice.h"

namespace trainscope::ui {

class ExportDialog : public QDialog {
    Q_OBJECT

  public:
    explicit ExportDialog(const ExportChoice& choice, QWidget* parent = nullptr);
    ~ExportDialog() override;

    ExportChoice choice() const;

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace trainscope::ui
