// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/recording.h"

#include <string>
#include <string_view>
#include <utility>

#include "engine/cuda/kernel.h"
#include "engine/ops/step_graph.h"

namespace trainscope::cuda {

namespace {

void add_knob(std::string_view value, const char* description) {
    detail::add_variant_info(device_kind, {.op = std::string(StepGraph::name),
                                           .name = std::string(value),
                                           .description = description});
}
// Before main() runs, as variants do.
[[maybe_unused]] const bool added = [] {
    add_knob(StepGraph::on,
             "Passes and update are recorded as CUDA graphs and replayed, with one call each.");
    add_knob(StepGraph::off, "Each kernel is launched by itself.");
    return true;
}();

class Recording final : public RecordedWork {
  public:
    Recording(cudaStream_t stream, cudaGraphExec_t graph) : stream_(stream), graph_(graph) {}
    ~Recording() override {
        note(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");  // it may be running
        note(cudaGraphExecDestroy(graph_), "cudaGraphExecDestroy");
    }
    void replay() override { note(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch"); }

  private:
    cudaStream_t stream_;
    cudaGraphExec_t graph_;
};

// What was captured, not yet made ready; nullptr on an error, which is noted.
cudaGraph_t capture(cudaStream_t stream, const std::function<void()>& work) {
    const cudaError_t begun = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    note(begun, "cudaStreamBeginCapture");
    if (begun != cudaSuccess) {
        return nullptr;
    }
    cudaGraph_t graph = nullptr;
    try {
        work();
    } catch (...) {
        static_cast<void>(cudaStreamEndCapture(stream, &graph));
        if (graph != nullptr) {
            static_cast<void>(cudaGraphDestroy(graph));
        }
        static_cast<void>(cudaGetLastError());
        throw;
    }
    note(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    return graph;
}

}  // namespace

Result<std::unique_ptr<RecordedWork>> record_graph(cudaStream_t stream,
                                                   const std::function<void()>& work) {
    const HeldErrors errors;
    cudaGraph_t const graph = capture(stream, work);
    cudaGraphExec_t ready = nullptr;
    if (graph != nullptr) {
        if (errors.first().empty()) {
            note(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
        }
        note(cudaGraphDestroy(graph), "cudaGraphDestroy");
    }
    if (!errors.first().empty()) {
        if (ready != nullptr) {
            static_cast<void>(cudaGraphExecDestroy(ready));
        }
        static_cast<void>(cudaGetLastError());
        return make_error(ErrorCode::device_failed, "no CUDA graph could be made: {}",
                          errors.first());
    }
    return std::make_unique<Recording>(stream, ready);
}

}  // namespace trainscope::cuda
