// SPDX-License-Identifier: GPL-3.0-or-later
// MNIST's IDX files, plain or .gz: images 0x00000803 (count, rows, columns), labels 0x00000801
// (count), big-endian (http://yann.lecun.com/exdb/mnist). Fashion-MNIST, KMNIST, EMNIST alike.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "engine/core/format.h"
#include "engine/data/file_bytes.h"
#include "engine/data/limits.h"
#include "engine/data/readers.h"

namespace trainscope {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t usual_classes = 10;

struct Images {
    std::vector<std::uint8_t> pixels;
    std::int64_t count = 0;  // in the file, not only those kept
    std::int64_t rows = 0, columns = 0;
    fs::path file;
};
struct Labels {
    std::vector<std::uint8_t> values;  // all of the file
    fs::path file;
};

// "train-images-idx3-ubyte" as it is usually named; EMNIST puts its own name before it.
Result<fs::path> find_file(const fs::path& folder, std::string_view split, std::string_view content,
                           std::string_view rank) {
    const std::string dashed = fmt::format("{}-{}-{}-ubyte", split, content, rank);
    const std::string dotted = fmt::format("{}-{}.{}-ubyte", split, content, rank);
    std::error_code failed;
    for (const std::string& name : {dashed, dashed + ".gz", dotted, dotted + ".gz"}) {
        if (fs::exists(folder / name, failed)) {
            return folder / name;
        }
    }
    std::vector<fs::path> found;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string name = entry->path().filename().string();
        if (name.ends_with("-" + dashed) || name.ends_with("-" + dashed + ".gz")) {
            found.push_back(entry->path());
        }
    }
    if (found.size() == 1) {
        return found.front();
    }
    if (found.size() > 1) {
        std::sort(found.begin(), found.end());
        return make_error(ErrorCode::invalid_argument,
                          "{}: expected one data set, found several: {} and {}.", folder.string(),
                          found[0].filename().string(), found[1].filename().string());
    }
    return make_error(ErrorCode::not_found, "{}: expected the file {} or {}.gz, found neither.",
                      folder.string(), dashed, dashed);
}

// Magic number and dimensions.
Result<std::vector<std::int64_t>> read_header(FileBytes& file, std::uint8_t rank,
                                              std::string_view what) {
    const auto magic = file.read(4, "the magic number of an IDX file");
    if (!magic) {
        return make_error(magic.error());
    }
    const std::array<std::uint8_t, 4> wanted = {0, 0, 0x08, rank};
    if (!std::equal(wanted.begin(), wanted.end(), magic->begin())) {
        return make_error(ErrorCode::bad_file,
                          "{}: expected the magic number 0x{:08x} of IDX {} at offset 0, found "
                          "0x{:02x}{:02x}{:02x}{:02x}.",
                          file.path().string(), 0x800U + rank, what, (*magic)[0], (*magic)[1],
                          (*magic)[2], (*magic)[3]);
    }
    const auto bytes = file.read(4 * std::int64_t{rank}, "the dimensions of an IDX file");
    if (!bytes) {
        return make_error(bytes.error());
    }
    std::vector<std::int64_t> dims(rank);
    for (std::size_t d = 0; d < rank; ++d) {
        for (std::size_t b = 0; b < 4; ++b) {
            dims[d] = dims[d] * 256 + (*bytes)[4 * d + b];
        }
    }
    return dims;
}

Result<Images> read_images(const fs::path& path, std::int64_t wanted, std::stop_token stop) {
    auto file = FileBytes::open(path, std::move(stop));
    if (!file) {
        return make_error(std::move(file.error()));
    }
    const auto dims = read_header(*file, 3, "images");
    if (!dims) {
        return make_error(dims.error());
    }
    Images images{
        .pixels = {}, .count = (*dims)[0], .rows = (*dims)[1], .columns = (*dims)[2], .file = path};
    if (images.count < 1 || std::min(images.rows, images.columns) < 1 ||
        std::max(images.rows, images.columns) > largest_image_side) {
        return make_error(ErrorCode::bad_file,
                          "{}: expected at least 1 image of 1x1 to {}x{} at offset 4, found {} of "
                          "{}x{}.",
                          path.string(), largest_image_side, largest_image_side, images.count,
                          images.rows, images.columns);
    }
    const std::int64_t image_bytes = images.rows * images.columns;
    const std::int64_t kept = limited(images.count, wanted);
    const std::string what =
        fmt::format("{} images of {}x{}", format_count(images.count), images.rows, images.columns);
    auto pixels = file->read(kept * image_bytes, what);
    if (!pixels) {
        return make_error(std::move(pixels.error()));
    }
    images.pixels = std::move(*pixels);
    if (Result<void> rest = file->skip((images.count - kept) * image_bytes, what); !rest) {
        return make_error(std::move(rest.error()));
    }
    if (Result<void> end = file->expect_end(); !end) {
        return make_error(std::move(end.error()));
    }
    return images;
}

Result<Labels> read_labels(const fs::path& path, std::stop_token stop) {
    auto file = FileBytes::open(path, std::move(stop));
    if (!file) {
        return make_error(std::move(file.error()));
    }
    const auto dims = read_header(*file, 1, "labels");
    if (!dims) {
        return make_error(dims.error());
    }
    auto values = file->read((*dims)[0], fmt::format("{} labels", format_count((*dims)[0])));
    if (!values) {
        return make_error(std::move(values.error()));
    }
    if (Result<void> end = file->expect_end(); !end) {
        return make_error(std::move(end.error()));
    }
    return Labels{std::move(*values), path};
}

// The files do not say how many classes there are: ten, or as many as the labels count up to
// without a gap (EMNIST has up to 62).
std::int64_t count_classes(const std::vector<std::uint8_t>& labels) {
    std::array<bool, 256> seen{};
    for (const std::uint8_t label : labels) {
        seen[label] = true;
    }
    std::size_t classes = usual_classes;
    while (classes < seen.size() && seen[classes]) {
        ++classes;
    }
    return static_cast<std::int64_t>(classes);
}

Result<void> check_labels(const Labels& labels, std::int64_t classes) {
    constexpr std::int64_t header = 8;
    for (std::size_t i = 0; i < labels.values.size(); ++i) {
        if (labels.values[i] >= classes) {
            return make_error(ErrorCode::bad_file,
                              "{}: expected labels from 0 to {}, found {} for sample {} at offset "
                              "{}.",
                              labels.file.string(), classes - 1, labels.values[i], i,
                              header + static_cast<std::int64_t>(i));
        }
    }
    return {};
}

struct SplitFiles {
    Images images;
    Labels labels;
};

Result<SplitFiles> read_split(const DatasetOptions& options, Split which) {
    const bool train = which == Split::train;
    // EMNIST calls the test split "test".
    std::vector<std::string_view> names = {"train"};
    if (!train) {
        names = {"t10k", "test"};
    }
    std::optional<Error> missing;
    for (const std::string_view name : names) {
        const auto image_file = find_file(options.folder, name, "images", "idx3");
        const auto label_file = find_file(options.folder, name, "labels", "idx1");
        if (!image_file || !label_file) {
            if (!missing || image_file || label_file) {
                missing = image_file ? label_file.error() : image_file.error();
            }
            continue;
        }
        auto labels = read_labels(*label_file, options.stop);
        if (!labels) {
            return make_error(std::move(labels.error()));
        }
        auto images = read_images(*image_file, train ? options.train_count : options.test_count,
                                  options.stop);
        if (!images) {
            return make_error(std::move(images.error()));
        }
        if (images->count != static_cast<std::int64_t>(labels->values.size())) {
            return make_error(
                ErrorCode::bad_file, "{}: expected as many labels as {} has images, {}, found {}.",
                label_file->string(), image_file->filename().string(), format_count(images->count),
                format_count(static_cast<std::int64_t>(labels->values.size())));
        }
        return SplitFiles{std::move(*images), std::move(*labels)};
    }
    return make_error(std::move(*missing));
}

void keep(SplitFiles&& from, std::int64_t wanted, SplitData& to) {
    to.count = limited(from.images.count, wanted);
    to.pixels = std::move(from.images.pixels);
    to.labels.assign(from.labels.values.begin(), from.labels.values.begin() + to.count);
}

}  // namespace

OpenedDataset open_idx(const DatasetOptions& options) {
    auto train = read_split(options, Split::train);
    if (!train) {
        return make_error(std::move(train.error()));
    }
    auto test = read_split(options, Split::test);
    if (!test) {
        return make_error(std::move(test.error()));
    }
    const Images& images = train->images;
    if (test->images.rows != images.rows || test->images.columns != images.columns) {
        return make_error(ErrorCode::bad_file,
                          "{}: expected images of {}x{} as in {}, found {}x{}.",
                          test->images.file.string(), images.rows, images.columns,
                          images.file.filename().string(), test->images.rows, test->images.columns);
    }
    auto dataset = std::make_shared<Dataset>();
    dataset->classes = count_classes(train->labels.values);
    for (const Labels* labels : {&train->labels, &test->labels}) {
        if (Result<void> right = check_labels(*labels, dataset->classes); !right) {
            return make_error(std::move(right.error()));
        }
    }
    for (std::int64_t c = 0; c < dataset->classes; ++c) {
        dataset->class_names.push_back(std::to_string(c));
    }
    dataset->source = options.folder.string();
    dataset->sample = Shape{1, images.rows, images.columns};
    keep(std::move(*train), options.train_count, dataset->train);
    keep(std::move(*test), options.test_count, dataset->test);
    return dataset;
}

}  // namespace trainscope
