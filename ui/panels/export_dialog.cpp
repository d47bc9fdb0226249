// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/export_dialog.h"

namespace trainscope::ui {

class ExportDialog::Private {
  public:
    ExportChoice choice;
};

ExportDialog::ExportDialog(const ExportChoice& choice, QWidget* parent)
    : QDialog(parent), d_(std::make_unique<Private>()) {
    d_->choice = choice;
}
ExportDialog::~ExportDialog() = default;

ExportChoice ExportDialog::choice() const {
    return d_->choice;
}

}  // namespace trainscope::ui
