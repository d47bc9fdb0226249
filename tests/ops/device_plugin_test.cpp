// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA plug-in: what it brings, and what is said where it cannot be loaded.
#include "engine/ops/device_plugin.h"

#include <gmock/gmock.h>

#include <fstream>

#include "engine/core/device_backend.h"
#include "engine/ops/step_graph.h"
#include "tests/support/shared.h"

namespace trainscope {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Why there is no CUDA device after that file was loaded.
std::string reason_with(const std::string& path) {
    load_device_plugin(DeviceKind::cuda, path);
    const std::vector<MissingDevice> missing = missing_devices();
    return missing.size() == 1 && missing[0].kind == DeviceKind::cuda ? missing[0].reason
                                                                      : std::string();
}

TEST(DevicePlugin, AFileThatIsNotThereOrNoLibraryIsSaidWithItsName) {
    EXPECT_THAT(reason_with("/nowhere/libtrainscope_cuda.so"),
                StartsWith("The plug-in /nowhere/libtrainscope_cuda.so cannot be loaded: "));
    const auto file = std::filesystem::temp_directory_path() / "trainscope_no_library.so";
    std::ofstream(file) << "no library";
    EXPECT_THAT(reason_with(file.string()), HasSubstr("cannot be loaded"));
    std::filesystem::remove(file);
}

TEST(DevicePlugin, AnyOtherLibraryIsNoPlugin) {
    EXPECT_EQ(reason_with("libm.so.6"), "libm.so.6 is no plug-in of Trainscope.");
}

TEST(DevicePlugin, WithoutOneCudaIsRefusedWithTheReason) {
    EXPECT_THAT(reason_with("/nowhere/libtrainscope_cuda.so"), HasSubstr("cannot be loaded"));
    const auto found = find_device("cuda");
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message,
                StartsWith("There is no device 'cuda' here: The plug-in /nowhere"));
    EXPECT_EQ(find_device("auto")->kind, DeviceKind::cpu);
}

#ifdef TRAINSCOPE_CUDA_PLUGIN
template <class... Ops>
struct VariantsOf {
    static std::size_t count(DeviceKind device) { return (variants_of<Ops>(device).size() + ...); }
};

TEST(DevicePlugin, HandsOverEveryVariantThatItLists) {
    load_device_plugin(DeviceKind::cuda, TRAINSCOPE_CUDA_PLUGIN);
    std::vector<VariantInfo> listed = list_variants(DeviceKind::cuda);
    EXPECT_EQ(std::erase_if(listed, [](const auto& each) { return each.op == StepGraph::name; }),
              2u)
        << "graphs on and off: a knob with no kernel behind it";
    EXPECT_EQ(OfAllOperators<VariantsOf>::count(DeviceKind::cuda), listed.size());
}

TEST(DevicePlugin, BringsItsVariantsWhetherOrNotThereIsACard) {
    load_device_plugin(DeviceKind::cuda, TRAINSCOPE_CUDA_PLUGIN);
    const std::vector<VariantInfo> variants = list_variants(DeviceKind::cuda);
    EXPECT_GE(variants.size(), 8u);
    EXPECT_GE(variants_of<Dense>(DeviceKind::cuda).size(), 2u);
    EXPECT_TRUE(choose_variant<Dense>(DeviceKind::cuda, "auto", {.n = 4, .in = 8, .out = 3}));
    load_device_plugin(DeviceKind::cuda, TRAINSCOPE_CUDA_PLUGIN);  // again: nothing twice
    EXPECT_EQ(list_variants(DeviceKind::cuda).size(), variants.size());
}

TEST(DevicePlugin, WithoutADriverSaysSoAndTheProgramGoesOn) {
    load_device_plugin(DeviceKind::cuda, TRAINSCOPE_CUDA_PLUGIN);
    const auto found = find_device("cuda");
    if (found) {
        GTEST_SKIP() << "there is a card here: " << found->description;
    }
    EXPECT_THAT(found.error().message, HasSubstr("No NVIDIA device can be used: "));
    EXPECT_EQ(find_device("auto")->kind, DeviceKind::cpu);
}
#endif

}  // namespace
}  // namespace trainscope
