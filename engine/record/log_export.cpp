// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/record/log_export.h"

namespace trainscope {

RunDescription describe_run(const TrainerConfig& /*config*/, const Dataset& /*dataset*/) {
    return {};
}

Result<void> write_csv(const std::filesystem::path& file, const Telemetry& /*telemetry*/) {
    return make_error(ErrorCode::unsupported, "Writing '{}' is not built yet.", file.string());
}

Result<void> write_json_lines(const std::filesystem::path& file, const Telemetry& /*telemetry*/,
                              const RunDescription& /*run*/) {
    return make_error(ErrorCode::unsupported, "Writing '{}' is not built yet.", file.string());
}

}  // namespace trainscope
