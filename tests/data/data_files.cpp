// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/data/data_files.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace trainscope::testing {

namespace fs = std::filesystem;

void write_file(const fs::path& file, const Bytes& bytes) {
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
        throw std::runtime_error("cannot write " + file.string());
    }
}

Bytes gzipped(const Bytes& bytes) {
    z_stream stream{};
    constexpr int with_gzip_header = 15 + 16;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, with_gzip_header, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::runtime_error("zlib cannot be started");
    }
    Bytes packed(bytes.size() + bytes.size() / 100 + 100);
    stream.next_in = const_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = packed.data();
    stream.avail_out = static_cast<uInt>(packed.size());
    const int ended = deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    if (ended != Z_STREAM_END) {
        throw std::runtime_error("zlib cannot compress");
    }
    return packed;
}

Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes all;
    for (const Bytes& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

Bytes cut(const Bytes& bytes, std::size_t length) {
    return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)};
}

Bytes idx_header(std::uint8_t type, const std::vector<std::uint32_t>& dims) {
    Bytes header = {0, 0, type, static_cast<std::uint8_t>(dims.size())};
    for (const std::uint32_t dim : dims) {
        for (const unsigned shift : {24U, 16U, 8U, 0U}) {
            header.push_back(static_cast<std::uint8_t>(dim >> shift));
        }
    }
    return header;
}

Bytes idx_images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns,
                 std::uint8_t first) {
    Bytes file = idx_header(8, {count, rows, columns});
    for (std::uint32_t i = 0; i < count * rows * columns; ++i) {
        file.push_back(static_cast<std::uint8_t>(first + i));
    }
    return file;
}

Bytes idx_labels(const std::vector<std::uint8_t>& labels) {
    return joined({idx_header(8, {static_cast<std::uint32_t>(labels.size())}), labels});
}

IdxFolder::IdxFolder() {
    write_file(file("train-images-idx3-ubyte"), idx_images(5, 4, 3));
    write_file(file("train-labels-idx1-ubyte"), idx_labels({3, 1, 4, 1, 5}));
    write_file(file("t10k-images-idx3-ubyte"), idx_images(3, 4, 3, 100));
    write_file(file("t10k-labels-idx1-ubyte"), idx_labels({9, 2, 6}));
}

DatasetOptions IdxFolder::options() const {
    DatasetOptions options;
    options.name = "mnist";
    options.folder = folder.path();
    return options;
}

Bytes cifar_records(const std::vector<std::uint8_t>& labels, bool coarse) {
    Bytes records;
    for (std::size_t r = 0; r < labels.size(); ++r) {
        if (coarse) {
            records.push_back(static_cast<std::uint8_t>(labels[r] / 5));
        }
        records.push_back(labels[r]);
        for (std::size_t p = 0; p < 3072; ++p) {
            records.push_back(static_cast<std::uint8_t>(7 * r + p));
        }
    }
    return records;
}

void expect_refused(const DatasetOptions& options, const Refusal& refusal) {
    const auto opened = open_dataset(options);
    ASSERT_FALSE(opened.has_value()) << "was opened, with " << (*opened)->train.count << " samples";
    const std::string& message = opened.error().message;
    EXPECT_EQ(opened.error().code, refusal.code) << message;
    for (const std::string& part : refusal.says) {
        EXPECT_THAT(message, ::testing::HasSubstr(part));
    }
    EXPECT_TRUE(message.ends_with('.')) << message;
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 0) << message;
}

std::shared_ptr<const Dataset> expect_opened(const DatasetOptions& options) {
    auto opened = open_dataset(options);
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
    return opened ? *opened : nullptr;
}

}  // namespace trainscope::testing
