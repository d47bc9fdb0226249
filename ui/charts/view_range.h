// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of the x axis is shown, and how it moves: zooming, panning, following the newest data.
#pragma once

#include <cstddef>

#include "ui/charts/ticks.h"

namespace trainscope::ui {

class ViewRange {
  public:
    double low() const { return shown_.low; }
    double high() const { return shown_.high; }
    double width() const { return shown_.high - shown_.low; }
    // Everything there is, and the view grows with it while it follows.
    bool fitted() const { return fitted_; }
    bool follow() const { return follow_; }

    // The data reaches over this now. Moves the view only while it follows, in coarse steps: a view
    // of everything grows by an eighth at a time, a part of it is shifted by a sixteenth.
    void setData(Interval data);
    Interval data() const { return data_; }
    // The same on another x axis.
    void moveTo(Interval data, Interval shown);

    void setFollow(bool on);
    void fit();
    // > 1 shows less. The point stays where it is. Ends following if the newest data leaves.
    void zoomAround(double factor, double point);
    // Around the end while following, otherwise around the middle.
    void zoom(double factor);
    void pan(double distance);  // in x units; ends following
    void show(Interval part);   // ends following if the newest data is not in it
    void toStart();             // the same width from the start of the data; ends following
    void toEnd();               // the same width up to the newest data; follows from now on

  private:
    double smallestWidth() const;
    void place(double low, double width);
    void stayWithNewest();

    Interval data_{0, 0};
    Interval shown_{0, 1};
    bool follow_ = true;
    bool fitted_ = true;
};

}  // namespace trainscope::ui
