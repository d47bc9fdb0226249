// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/device_plugin.h"

#include <dlfcn.h>

#include <filesystem>
#include <utility>

#include "engine/core/build_info.h"

namespace trainscope {

namespace {

constexpr const char* cuda_library = "libtrainscope_cuda.so";

void register_missing(DeviceKind kind, std::string reason) {
    const auto missing = [reason = std::move(reason)]() -> Result<std::vector<DeviceInfo>> {
        return make_error(Error{ErrorCode::unsupported, reason});
    };
    register_backend(
        {.kind = kind,
         .devices = missing,
         .open = [missing](const DeviceInfo&) -> Result<std::unique_ptr<DeviceRuntime>> {
             return make_error(missing().error());
         }});
}

// Calls visit(table of the plug-in, table of this program) for each operator.
template <class... Ops, class Visit>
void for_each_table(VariantTables<Ops...>& tables, DeviceKind kind, const Visit& visit) {
    (visit(std::get<std::vector<KernelVariant<Ops>>>(tables.of), detail::variant_table<Ops>(kind)),
     ...);
}

// Error: why it is none of ours, in one sentence.
Result<DevicePlugin> read_plugin(const std::string& path) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return make_error(ErrorCode::unsupported, "The plug-in {} cannot be loaded: {}.", path,
                          dlerror());
    }
    const auto stamp = reinterpret_cast<const char* (*)()>(dlsym(library, plugin_stamp_symbol));
    const auto hand_over = reinterpret_cast<void (*)(DevicePlugin*)>(dlsym(library, plugin_symbol));
    if (stamp == nullptr || hand_over == nullptr) {
        dlclose(library);
        return make_error(ErrorCode::unsupported, "{} is no plug-in of Trainscope.", path);
    }
    if (stamp() != plugin_stamp()) {
        const std::string other = stamp();
        dlclose(library);
        return make_error(ErrorCode::unsupported,
                          "The plug-in {} is of another build ({}) than the program ({}); build "
                          "both again.",
                          path, other, plugin_stamp());
    }
    DevicePlugin plugin;
    hand_over(&plugin);
    return plugin;
}

}  // namespace

std::string plugin_stamp() {
    const BuildInfo& build = build_info();
    return fmt::format("{}, {}, {}, {}", build.version, build.compiler, build.build_type,
                       sizeof(DevicePlugin));
}

DevicePlugin own_registrations(DeviceKind kind) {
    DevicePlugin plugin;
    for (const DeviceBackend& backend : registered_backends()) {
        if (backend.kind == kind) {
            plugin.backend = backend;
        }
    }
    plugin.infos = list_variants(kind);
    for_each_table(plugin.variants, kind, [](auto& handed, const auto& own) { handed = own; });
    return plugin;
}

void load_device_plugin(DeviceKind kind, const std::string& path) {
    Result<DevicePlugin> plugin = read_plugin(path);
    if (!plugin) {
        register_missing(kind, std::move(plugin.error().message));
        return;
    }
    register_backend(std::move(plugin->backend));
    if (!list_variants(kind).empty()) {
        return;  // loaded before
    }
    for (VariantInfo& info : plugin->infos) {
        detail::add_variant_info(kind, std::move(info));
    }
    for_each_table(plugin->variants, kind,
                   [](auto& handed, auto& table) { table = std::move(handed); });
}

void load_device_plugins() {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const fs::path& folder : {program, program / ".." / "lib" / "trainscope"}) {
        if (const fs::path library = folder / cuda_library; fs::exists(library, ignored)) {
            load_device_plugin(DeviceKind::cuda, library.lexically_normal().string());
            return;
        }
    }
    register_missing(DeviceKind::cuda,
                     fmt::format("This program was built without nvcc and has no {}, which NVIDIA "
                                 "cards need.",
                                 cuda_library));
}

}  // namespace trainscope
