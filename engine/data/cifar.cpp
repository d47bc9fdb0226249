// SPDX-License-Identifier: GPL-3.0-or-later
// CIFAR's binary files (https://www.cs.toronto.edu/~kriz/cifar.html): records of one label byte
// (CIFAR-100: a coarse and a fine one) and 3072 bytes of a 3x32x32 image, red, green, blue.
#include <algorithm>
#include <fstream>
#include <string>

#include "engine/core/format.h"
#include "engine/data/file_bytes.h"
#include "engine/data/readers.h"

namespace trainscope {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t image_bytes = 3 * 32 * 32;

struct Layout {
    std::int64_t label_bytes;  // the last of them is the label that is used
    std::int64_t classes;
    const char* names_file;
    std::int64_t record_bytes() const { return label_bytes + image_bytes; }
};
constexpr Layout cifar10 = {1, 10, "batches.meta.txt"};
constexpr Layout cifar100 = {2, 100, "fine_label_names.txt"};

// One name a line. Without the file, or with one that does not fit, classes are numbered.
std::vector<std::string> class_names(const fs::path& file, std::int64_t classes) {
    constexpr std::size_t longest = 200;
    std::vector<std::string> names;
    std::error_code failed;
    if (fs::is_regular_file(file, failed) && fs::file_size(file, failed) < 100'000) {
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) {
            while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
                line.pop_back();
            }
            if (!line.empty()) {
                names.push_back(line.substr(0, longest));
            }
        }
    }
    if (static_cast<std::int64_t>(names.size()) != classes) {
        names.clear();
        for (std::int64_t c = 0; c < classes; ++c) {
            names.push_back(std::to_string(c));
        }
    }
    return names;
}

Result<std::int64_t> count_records(const FileBytes& file, const Layout& layout) {
    if (file.compressed()) {
        return make_error(ErrorCode::bad_file,
                          "{}: expected CIFAR records, found a compressed file; unpack it first.",
                          file.path().string());
    }
    const std::int64_t size = file.file_size();
    if (size == 0) {
        return make_error(ErrorCode::bad_file,
                          "{}: expected whole records of {} bytes, found an empty file.",
                          file.path().string(), layout.record_bytes());
    }
    if (size % layout.record_bytes() != 0) {
        return make_error(ErrorCode::bad_file,
                          "{}: expected whole records of {} bytes, found {} bytes, {} more than {} "
                          "records.",
                          file.path().string(), layout.record_bytes(), format_count(size),
                          size % layout.record_bytes(), format_count(size / layout.record_bytes()));
    }
    return size / layout.record_bytes();
}

// Adds the records of a file, until the split has `wanted` (0: all).
Result<void> add_records(const fs::path& path, const Layout& layout, const DatasetOptions& options,
                         std::int64_t wanted, SplitData& split) {
    auto file = FileBytes::open(path, options.stop);
    if (!file) {
        return make_error(std::move(file.error()));
    }
    const Result<std::int64_t> records = count_records(*file, layout);
    if (!records) {
        return make_error(records.error());
    }
    const std::int64_t kept =
        wanted > 0 ? std::min(*records, std::max<std::int64_t>(wanted - split.count, 0)) : *records;
    if (Result<void> fits = expect_memory((split.count + kept) * image_bytes, path.string());
        !fits) {
        return fits;
    }
    split.pixels.reserve(static_cast<std::size_t>((split.count + kept) * image_bytes));
    std::vector<std::uint8_t> record(static_cast<std::size_t>(layout.record_bytes()));
    for (std::int64_t r = 0; r < *records; ++r) {
        const std::int64_t offset = file->offset();
        if (Result<void> got = file->read(std::span(record), "a record"); !got) {
            return got;
        }
        const std::int64_t label = record[static_cast<std::size_t>(layout.label_bytes) - 1];
        if (label >= layout.classes) {
            return make_error(ErrorCode::bad_file,
                              "{}: expected labels from 0 to {}, found {} for record {} at offset "
                              "{}.",
                              path.string(), layout.classes - 1, label, format_count(r),
                              format_count(offset + layout.label_bytes - 1));
        }
        if (r < kept) {
            split.labels.push_back(static_cast<std::int32_t>(label));
            split.pixels.insert(split.pixels.end(), record.begin() + layout.label_bytes,
                                record.end());
        }
    }
    split.count += kept;
    return file->expect_end();
}

std::shared_ptr<Dataset> empty_dataset(const DatasetOptions& options, const Layout& layout) {
    auto dataset = std::make_shared<Dataset>();
    dataset->source = options.folder.string();
    dataset->sample = Shape{3, 32, 32};
    dataset->classes = layout.classes;
    dataset->class_names = class_names(options.folder / layout.names_file, layout.classes);
    return dataset;
}

// `expected`: the names of all files, in words.
OpenedDataset open_files(const DatasetOptions& options, const Layout& layout,
                         const std::vector<std::string>& train_files, const std::string& test_file,
                         std::string_view expected) {
    std::vector<std::string> all = train_files;
    all.push_back(test_file);
    for (const std::string& name : all) {
        std::error_code failed;
        if (fs::status(options.folder / name, failed).type() == fs::file_type::not_found) {
            return make_error(ErrorCode::not_found, "{}: expected the files {}, found no {}.",
                              options.folder.string(), expected, name);
        }
    }
    std::shared_ptr<Dataset> dataset = empty_dataset(options, layout);
    for (const std::string& name : train_files) {
        if (Result<void> added = add_records(options.folder / name, layout, options,
                                             options.train_count, dataset->train);
            !added) {
            return make_error(std::move(added.error()));
        }
    }
    if (Result<void> added = add_records(options.folder / test_file, layout, options,
                                         options.test_count, dataset->test);
        !added) {
        return make_error(std::move(added.error()));
    }
    return dataset;
}

}  // namespace

OpenedDataset open_cifar10(const DatasetOptions& options) {
    constexpr int most_batches = 5;
    const auto name_of_batch = [](int b) { return fmt::format("data_batch_{}.bin", b); };
    // Some of the five may be left out, but no batch between two that are there.
    int last = 1;
    std::error_code failed;
    for (int b = 1; b <= most_batches; ++b) {
        if (fs::exists(options.folder / name_of_batch(b), failed)) {
            last = b;
        }
    }
    std::vector<std::string> files;
    for (int b = 1; b <= last; ++b) {
        files.push_back(name_of_batch(b));
    }
    // What is there names what is missing: batch 3 wants batches 1 and 2.
    const std::string batches =
        last > 1 ? fmt::format("{} to {} without a gap", files.front(), files.back())
                 : "data_batch_1.bin, data_batch_2.bin, ...";
    return open_files(options, cifar10, files, "test_batch.bin", batches + " and test_batch.bin");
}

OpenedDataset open_cifar100(const DatasetOptions& options) {
    return open_files(options, cifar100, {"train.bin"}, "test.bin", "train.bin and test.bin");
}

}  // namespace trainscope
