// SPDX-License-Identifier: GPL-3.0-or-later
// Devices that a backend brings: how they are listed, found and opened, and what is said of none.
#include "engine/core/device_backend.h"

#include <gmock/gmock.h>

namespace trainscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<DeviceInfo> two_cards() {
    return {{.kind = DeviceKind::cuda, .id = "cuda", .description = "a card"},
            {.kind = DeviceKind::cuda, .id = "cuda:1", .description = "another", .index = 1}};
}

// A backend of two cards, or of none and why. Gone after the test, as far as that goes.
class Backend {
  public:
    explicit Backend(Result<std::vector<DeviceInfo>> devices) {
        register_backend({.kind = DeviceKind::cuda,
                          .devices = [devices] { return devices; },
                          .open =
                              [this](const DeviceInfo& device) {
                                  opened = device.index;
                                  return Result<std::unique_ptr<DeviceRuntime>>(host_runtime());
                              }});
    }
    ~Backend() {
        register_backend({.kind = DeviceKind::cuda,
                          .devices = [] { return std::vector<DeviceInfo>(); },
                          .open = nullptr});
    }
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    int opened = -1;
};

std::string id_of(std::string_view asked) {
    const auto found = find_device(asked);
    return found ? found->id : found.error().message;
}

TEST(DeviceBackend, CardsAreListedBeforeTheCpu) {
    const Backend backend(two_cards());
    std::vector<std::string> ids;
    for (const DeviceInfo& device : list_devices()) {
        ids.push_back(device.id);
    }
    EXPECT_THAT(ids, ElementsAre("cuda", "cuda:1", "cpu"));
    EXPECT_TRUE(missing_devices().empty());
}

TEST(DeviceBackend, ADeviceIsFoundByItsKindOrItsIndex) {
    const Backend backend(two_cards());
    EXPECT_EQ(id_of("cuda"), "cuda");
    EXPECT_EQ(id_of("cuda:0"), "cuda");
    EXPECT_EQ(id_of("cuda:1"), "cuda:1");
    EXPECT_EQ(id_of("cpu"), "cpu");
    EXPECT_THAT(id_of("cuda:2"),
                HasSubstr("no device 'cuda:2' here; known: auto, cuda, cuda:1, cpu"));
}

TEST(DeviceBackend, AutoIsTheFirstCard) {
    const Backend backend(two_cards());
    EXPECT_EQ(id_of("auto"), "cuda");
}

TEST(DeviceBackend, OneWithoutDevicesSaysWhyAndAutoIsTheCpu) {
    const Backend backend(make_error(ErrorCode::unsupported, "No NVIDIA driver is installed."));
    const std::vector<MissingDevice> missing = missing_devices();
    ASSERT_EQ(missing.size(), 1u);
    EXPECT_EQ(missing[0].kind, DeviceKind::cuda);
    EXPECT_EQ(missing[0].reason, "No NVIDIA driver is installed.");
    EXPECT_EQ(id_of("auto"), "cpu");
    EXPECT_EQ(id_of("cuda:1"), "There is no device 'cuda:1' here: No NVIDIA driver is installed.");
}

TEST(DeviceBackend, OpensTheDeviceThatIsAskedFor) {
    const Backend backend(two_cards());
    ASSERT_TRUE(open_device(*find_device("cuda:1")));
    EXPECT_EQ(backend.opened, 1);
    ASSERT_TRUE(open_device(*find_device("cpu")));
    EXPECT_EQ(backend.opened, 1) << "the CPU is no backend's";
}

TEST(DeviceBackend, AKindThatNobodyRegisteredCannotBeOpened) {
    DeviceInfo unknown;
    unknown.kind = DeviceKind::emulated;
    const auto opened = open_device(unknown);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, HasSubstr("no emulated devices"));
}

}  // namespace
}  // namespace trainscope
