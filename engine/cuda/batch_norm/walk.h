// SPDX-License-Identifier: GPL-3.0-or-later
// The way of one thread through the values of a channel, without a division a value.
#pragma once

#include "engine/cuda/launch.h"
#include "engine/ops/batch_norm.h"

namespace trainscope::cuda::batch_norm {

// So many values are summed by themselves before they join the rest: a float that many thousand
// terms are added to one by one would lose what each of them adds.
inline constexpr unsigned run_length = 128;

// What is walked over: a channel's values from `first` to before `end`, `step` apart, counted in
// units of `width` neighbours. `width` divides the plane.
struct Way {
    std::int64_t channel;
    std::int64_t first;
    std::int64_t end;
    unsigned step;
    unsigned width = 1;
};

class Walk {
  public:
    __device__ Walk(const BatchNorm::Shape& shape, const Way& way)
        : plane_(shape.h * shape.w / way.width),
          other_channels_((shape.c - 1) * plane_),
          step_(way.step),
          step_in_plane_(way.step % plane_),
          step_of_place_(way.step / plane_ * shape.c * plane_ + step_in_plane_),
          in_plane_(way.first % plane_),
          place_((way.first / plane_ * shape.c + way.channel) * plane_ + in_plane_),
          left_(way.end - way.first) {}

    __device__ bool goes_on() const { return left_ > 0; }
    // Where in the tensor the unit is, in units.
    __device__ std::int64_t place() const { return place_; }
    __device__ void next() {
        left_ -= step_;
        in_plane_ += step_in_plane_;
        place_ += step_of_place_;
        if (in_plane_ >= plane_) {  // one sample further than step / plane
            in_plane_ -= plane_;
            place_ += other_channels_;
        }
    }

  private:
    std::int64_t plane_;
    std::int64_t other_channels_;
    std::int64_t step_;
    std::int64_t step_in_plane_;
    std::int64_t step_of_place_;
    std::int64_t in_plane_;
    std::int64_t place_;
    std::int64_t left_;
};

// What add(sums, place) adds up to over a walk, in runs.
template <class Sums, class Add>
__device__ Sums sum_in_runs(Walk walk, unsigned units_of_run, const Add& add) {
    Sums total;
    while (walk.goes_on()) {
        Sums run;
        for (unsigned i = 0; i < units_of_run && walk.goes_on(); ++i) {
            add(run, walk.place());
            walk.next();
        }
        total += run;
    }
    return total;
}

}  // namespace trainscope::cuda::batch_norm
