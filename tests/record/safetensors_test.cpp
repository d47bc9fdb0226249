// SPDX-License-Identifier: GPL-3.0-or-later
// safetensors files: the golden ones are read, what is written is read back, hostile ones refused.
#include "engine/record/safetensors.h"

#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <limits>

#include "engine/core/random.h"
#include "tests/support/shared.h"

namespace trainscope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

template <class T>
SafeTensor tensor(std::string dtype, std::vector<std::int64_t> shape,
                  const std::vector<T>& values) {
    SafeTensor result{.dtype = std::move(dtype), .shape = std::move(shape), .bytes = {}};
    result.bytes.resize(values.size() * sizeof(T));
    if (!values.empty()) {
        std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
    }
    return result;
}

std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

class SafeTensorsFile : public ::testing::Test {
  protected:
    fs::path file() const { return folder_.path() / "x.safetensors"; }

    // A file of this header and so many bytes behind it.
    Result<SafeTensors> read(const std::string& header, std::size_t buffer) const {
        const std::uint64_t length = header.size();
        std::string bytes(8, '\0');
        std::memcpy(bytes.data(), &length, 8);
        return read_raw(bytes + header + std::string(buffer, '\1'));
    }
    Result<SafeTensors> read_raw(const std::string& bytes) const {
        std::ofstream(file(), std::ios::binary) << bytes;
        return read_safetensors(file());
    }

    testing::TemporaryFolder folder_;
};

TEST_F(SafeTensorsFile, ReadsBackWhatWasWrittenInEveryDtypeWithValues) {
    SafeTensors content;
    content.metadata = {{"format", "pt"}, {"name", "卷积 \"1\""}};
    content.tensors = {{"a.u8", tensor<std::uint8_t>("U8", {3}, {0, 7, 255})},
                       {"b.f32", tensor<float>("F32", {2, 1}, {-0.5F, 1e-45F})},
                       {"c.f64", tensor<double>("F64", {}, {1.0 / 3.0})},
                       {"d.i64", tensor<std::int64_t>("I64", {1}, {-9})},
                       {"e.i32", tensor<std::int32_t>("I32", {1, 1}, {-2})},
                       {"empty", tensor<float>("F32", {0, 4}, {})}};
    ASSERT_TRUE(write_safetensors(file(), content));
    const auto back = read_safetensors(file());
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->metadata, content.metadata);
    ASSERT_EQ(back->tensors.size(), content.tensors.size());
    for (const auto& [name, expected] : content.tensors) {
        const SafeTensor& found = back->tensors.at(name);
        EXPECT_EQ(found.dtype, expected.dtype) << name;
        EXPECT_EQ(found.shape, expected.shape) << name;
        EXPECT_EQ(found.bytes, expected.bytes) << name;
    }
    EXPECT_THAT(back->tensors.at("a.u8").as_double(), ElementsAre(0, 7, 255));
    EXPECT_THAT(back->tensors.at("b.f32").as_double(), ElementsAre(-0.5, double{1e-45F}));
    EXPECT_THAT(back->tensors.at("c.f64").as_double(), ElementsAre(1.0 / 3.0));
    EXPECT_THAT(back->tensors.at("d.i64").as_double(), ElementsAre(-9));
    EXPECT_THAT(back->tensors.at("e.i32").as_double(), ElementsAre(-2));
}

TEST_F(SafeTensorsFile, WritesTheReferenceWritersLayout) {
    SafeTensors content;
    content.metadata = {{"k", "v"}};
    content.tensors = {{"a", tensor<std::uint8_t>("U8", {1}, {1})},
                       {"c", tensor<double>("F64", {1}, {2})},
                       {"b", tensor<double>("F64", {1}, {3})}};
    ASSERT_TRUE(write_safetensors(file(), content));
    const std::string bytes = bytes_of(file());
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    EXPECT_EQ(length % 8, 0u);
    std::string header = bytes.substr(8, length);
    header.erase(header.find_last_not_of(' ') + 1);
    EXPECT_EQ(header, R"({"__metadata__":{"k":"v"},)"
                      R"("b":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                      R"("c":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},)"
                      R"("a":{"dtype":"U8","shape":[1],"data_offsets":[16,17]}})");
    EXPECT_EQ(bytes.size(), 8 + length + 17);
}

TEST_F(SafeTensorsFile, EveryGoldenFileIsReadAndWrittenBackToTheSameValues) {
    TRAINSCOPE_NEEDS_SHARED();
    int files = 0;
    for (const auto& entry : fs::directory_iterator(testing::shared_folder() / "golden")) {
        if (entry.path().extension() != ".safetensors") {
            continue;
        }
        ++files;
        const auto golden = read_safetensors(entry.path());
        ASSERT_TRUE(golden) << golden.error().message;
        EXPECT_FALSE(golden->tensors.empty());
        ASSERT_TRUE(write_safetensors(file(), *golden));
        const auto back = read_safetensors(file());
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(back->metadata, golden->metadata);
        ASSERT_EQ(back->tensors.size(), golden->tensors.size());
        for (const auto& [name, expected] : golden->tensors) {
            EXPECT_EQ(back->tensors.at(name).bytes, expected.bytes) << name;
            EXPECT_EQ(back->tensors.at(name).shape, expected.shape) << name;
        }
    }
    EXPECT_GT(files, 0);
}

TEST_F(SafeTensorsFile, AMissingFileAndAFolderAreErrorsThatNameIt) {
    EXPECT_EQ(read_safetensors(file()).error().code, ErrorCode::not_found);
    const auto folder = read_safetensors(folder_.path());
    ASSERT_FALSE(folder);
    EXPECT_THAT(folder.error().message, HasSubstr(folder_.path().string()));
}

struct Hostile {
    const char* name;
    const char* header;
    std::size_t buffer;
    const char* says;
};

class HostileSafeTensors : public SafeTensorsFile, public ::testing::WithParamInterface<Hostile> {};

TEST_P(HostileSafeTensors, IsRefusedWithASentenceThatNamesTheFile) {
    const auto content = read(GetParam().header, GetParam().buffer);
    ASSERT_FALSE(content);
    EXPECT_EQ(content.error().code, ErrorCode::bad_file);
    EXPECT_THAT(content.error().message,
                AllOf(HasSubstr(file().string()), HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(
    Headers, HostileSafeTensors,
    ::testing::Values(
        Hostile{"Empty", "", 0, "starts with '{'"}, Hostile{"Array", "[1,2]", 0, "starts with '{'"},
        Hostile{"NotJson", "{\"a\":", 0, "not JSON"},
        Hostile{"NotUtf8", "{\"\xff\":1}", 0, "not JSON"},
        Hostile{"TrailingText", "{} x", 0, "not JSON"},
        Hostile{"HoleAtTheEnd", "{}", 1, "end at byte 0"},
        Hostile{"HoleAtTheStart", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2,
                "begins at byte 1"},
        Hostile{"Overlap",
                R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                3, "begins at byte 1"},
        Hostile{"PastTheEnd", R"({"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}})", 8,
                "data_offsets"},
        Hostile{"EndBeforeBegin", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", 1,
                "data_offsets"},
        Hostile{"NegativeOffset", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[-1,0]}})", 1,
                "data_offsets"},
        Hostile{"HugeOffset",
                R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551615]}})", 1,
                "data_offsets"},
        Hostile{"ThreeOffsets", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,1]}})", 1,
                "data_offsets"},
        Hostile{"NegativeDimension", R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1,
                "shape"},
        Hostile{"FractionalDimension", R"({"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}})",
                1, "shape"},
        Hostile{"OverflowingShape",
                R"({"a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0,
                "does not fill"},
        Hostile{"ShapeOfOtherSize", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4,
                "does not fill"},
        Hostile{"UnknownDtype", R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})", 4,
                "F31"},
        Hostile{"NoDtype", R"({"a":{"shape":[1],"data_offsets":[0,4]}})", 4, "dtype"},
        Hostile{"ExtraField", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}})", 1,
                "dtype, shape and data_offsets"},
        Hostile{"SameNameTwice",
                R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                1, "twice"},
        Hostile{"MetadataOfNumbers", R"({"__metadata__":{"a":1}})", 0, "expected a string"},
        Hostile{"MetadataList", R"({"__metadata__":[]})", 0, "expected an object"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(SafeTensorsFile, AHeaderLongerThanTheFileIsRefusedBeforeAnyMemoryIsTaken) {
    for (const std::uint64_t length : {std::uint64_t{9}, std::uint64_t{100'000'001},
                                       std::numeric_limits<std::uint64_t>::max()}) {
        std::string bytes(8, '\0');
        std::memcpy(bytes.data(), &length, 8);
        const auto content = read_raw(bytes + "{}");
        ASSERT_FALSE(content);
        EXPECT_THAT(content.error().message, HasSubstr("header's length"));
    }
    EXPECT_THAT(read_raw("1234567").error().message, HasSubstr("at least 8 bytes"));
}

TEST_F(SafeTensorsFile, DeepNestingIsRefusedWithoutExhaustingTheStack) {
    const std::string deep = "{\"a\":" + std::string(200'000, '[');
    EXPECT_FALSE(read(deep, 0));
    EXPECT_FALSE(read(deep + std::string(200'000, ']') + "}", 0));
}

TEST_F(SafeTensorsFile, ChangedBytesNeverCrashAndTruncationIsAlwaysRefused) {
    SafeTensors content;
    content.metadata = {{"a", "b"}};
    content.tensors = {{"weight", tensor<float>("F32", {2, 3}, {1, 2, 3, 4, 5, 6})},
                       {"labels", tensor<std::uint8_t>("U8", {5}, {1, 2, 3, 4, 5})}};
    ASSERT_TRUE(write_safetensors(file(), content));
    const std::string good = bytes_of(file());
    for (std::size_t size = 0; size < good.size(); ++size) {
        ASSERT_FALSE(read_raw(good.substr(0, size))) << size;
    }
    EXPECT_FALSE(read_raw(good + '\0'));
    Random random(20);
    for (int round = 0; round < 3000; ++round) {
        std::string changed = good;
        for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
            changed[random.below(changed.size())] = static_cast<char>(random.below(256));
        }
        if (const auto read = read_raw(changed)) {
            for (const auto& [name, one] : read->tensors) {
                ASSERT_GE(one.elements(), 0) << name;
            }
        }
    }
}

TEST_F(SafeTensorsFile, ATensorWhoseBytesDoNotFitItsShapeIsNotWritten) {
    SafeTensors content;
    content.tensors = {{"w", tensor<float>("F32", {3}, {1, 2})}};
    const auto written = write_safetensors(file(), content);
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().message, HasSubstr("'w'"));
    EXPECT_FALSE(fs::exists(file()));
}

TEST_F(SafeTensorsFile, AMissingFolderIsAnErrorThatNamesTheFileAndNothingIsLeftBehind) {
    const fs::path nowhere = folder_.path() / "no" / "x.safetensors";
    const auto written = write_safetensors(nowhere, {});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::io);
    EXPECT_THAT(written.error().message, HasSubstr(nowhere.string()));
    EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace trainscope
