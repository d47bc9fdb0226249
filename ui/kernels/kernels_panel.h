// SPDX-License-Identifier: GPL-3.0-or-later
// The page of the kernel bench: what is to be measured, how far it is, and what was found as a
// table, as bars and as a roofline.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "engine/tune/kernel_bench.h"
#include "ui/kernels/bench_picture.h"

namespace trainscope::ui {

class KernelsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit KernelsPanel(QWidget* parent = nullptr);
    ~KernelsPanel() override;

    // Whose layers "Layers of the model" means, and at which batch.
    void setModelText(const QString& text);
    bool modelChosen() const;
    // The operator and shape that are chosen, unless it is the model. Error: what is wrong with it.
    Result<BenchItem> item() const;
    double seconds() const;  // for each variant and pass

    void setRunning(bool running);
    void showProgress(double share, const QString& doing);
    void showSentence(const QString& sentence, bool wrong);  // empty: none
    void setReport(const BenchReport& report);

    const BenchReport& report() const;
    std::size_t shownItem() const;  // a row of the shape that the pictures show

  Q_SIGNALS:
    void runRequested();
    void cancelRequested();
    void tableExportRequested();
    void pictureExportRequested(trainscope::ui::BenchPicture picture);

  private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace trainscope::ui
