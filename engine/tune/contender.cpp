// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tune/contender.h"

namespace trainscope {

namespace {

// Grows the workspace to what the kernel needs. Error out_of_memory.
Result<void> make_room(const BenchKernel& kernel, Arena& arena, Buffer& workspace) {
    if (kernel.workspace_bytes() <= workspace.bytes()) {
        return {};
    }
    auto larger =
        arena.allocate(kernel.workspace_bytes(), MemoryCategory::workspace, "the workspace");
    if (!larger) {
        return make_error(larger.error());
    }
    workspace = std::move(*larger);
    return {};
}

}  // namespace

Field make_field(const BenchRun& run, const BenchCase& bench, Arena& arena) {
    Field field;
    const DeviceKind device = run.options->device.kind;
    for (VariantOffer& offer : bench.offers(device)) {
        if (!run.wanted(offer.name)) {
            continue;
        }
        Contender contender{
            .offer = std::move(offer), .kernel = nullptr, .errors = {}, .times = {}};
        contender.errors.resize(bench.passes().size());
        contender.times.resize(bench.passes().size());
        std::optional<std::string>& refusal = contender.offer.refusal;
        if (!refusal) {
            contender.kernel = bench.make(contender.offer.name, device,
                                          {.threads = run.threads, .runtime = run.runtime});
            if (contender.kernel == nullptr) {
                refusal = "it is no kernel but the choice to run each operator by itself";
            } else if (const auto room = make_room(*contender.kernel, arena, field.workspace);
                       !room) {
                refusal = room.error().message;
                contender.kernel.reset();
            }
        }
        field.contenders.push_back(std::move(contender));
    }
    return field;
}

}  // namespace trainscope
