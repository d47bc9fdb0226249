// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of pictures: train/CLASS/*.png or *.jpg, and test/CLASS/... if there is one. Classes are
// the sorted names of the folders in train.
#include <algorithm>
#include <cctype>
#include <string>
#include <system_error>

#include "engine/core/format.h"
#include "engine/data/image.h"
#include "engine/data/readers.h"

namespace trainscope {

namespace {

namespace fs = std::filesystem;

struct Picture {
    fs::path file;
    std::int32_t label;
};

bool is_picture_name(const fs::path& file) {
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

// What is in a folder, sorted by name; hidden entries are left out.
Result<std::vector<fs::path>> entries(const fs::path& folder, bool folders) {
    std::vector<fs::path> found;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const fs::path& path = entry->path();
        std::error_code ignored;
        if (path.filename().string().starts_with('.')) {
            continue;
        }
        if (folders ? entry->is_directory(ignored) : is_picture_name(path)) {
            found.push_back(path);
        }
    }
    if (failed) {
        return make_error(ErrorCode::io, "{}: cannot be listed: {}.", folder.string(),
                          failed.message());
    }
    std::sort(found.begin(), found.end());
    return found;
}

Result<std::vector<std::string>> find_classes(const fs::path& train) {
    std::error_code failed;
    if (!fs::is_directory(train, failed)) {
        return make_error(ErrorCode::not_found,
                          "{}: expected a folder 'train' with one folder a class in it.",
                          train.parent_path().string());
    }
    const auto folders = entries(train, true);
    if (!folders) {
        return make_error(folders.error());
    }
    if (folders->size() < 2) {
        return make_error(
            ErrorCode::bad_file, "{}: expected at least 2 folders, one a class, found {}{}.",
            train.string(), folders->size(),
            folders->empty() ? "" : " ('" + folders->front().filename().string() + "')");
    }
    std::vector<std::string> classes;
    for (const fs::path& folder : *folders) {
        classes.push_back(folder.filename().string());
    }
    return classes;
}

// The pictures of a split, evenly thinned out to `wanted` (0: all).
Result<std::vector<Picture>> find_pictures(const fs::path& folder,
                                           const std::vector<std::string>& classes, bool all_needed,
                                           std::int64_t wanted) {
    const auto folders = entries(folder, true);
    if (!folders) {
        return make_error(folders.error());
    }
    std::vector<Picture> pictures;
    for (const fs::path& of_class : *folders) {
        const std::string name = of_class.filename().string();
        const auto place = std::find(classes.begin(), classes.end(), name);
        if (place == classes.end()) {
            return make_error(ErrorCode::bad_file,
                              "{}: has the class '{}', which is not among those of train.",
                              folder.string(), name);
        }
        const auto files = entries(of_class, false);
        if (!files) {
            return make_error(files.error());
        }
        if (files->empty() && all_needed) {
            return make_error(ErrorCode::bad_file,
                              "{}: expected pictures (*.png, *.jpg) of the class '{}', found none.",
                              of_class.string(), name);
        }
        for (const fs::path& file : *files) {
            pictures.push_back({file, static_cast<std::int32_t>(place - classes.begin())});
        }
    }
    const auto there = static_cast<std::int64_t>(pictures.size());
    const std::int64_t kept = limited(there, wanted);
    for (std::int64_t i = 0; kept < there && i < kept; ++i) {
        pictures[static_cast<std::size_t>(i)] =
            pictures[static_cast<std::size_t>(i * there / kept)];
    }
    pictures.resize(static_cast<std::size_t>(kept), Picture{{}, 0});
    return pictures;
}

Result<void> read_pictures(const std::vector<Picture>& pictures, const Shape& sample,
                           const std::stop_token& stop, SplitData& split) {
    const auto channels = static_cast<std::size_t>(sample[0]);
    const auto plane = static_cast<std::size_t>(sample[1] * sample[2]);
    split.count = static_cast<std::int64_t>(pictures.size());
    split.pixels.resize(pictures.size() * channels * plane);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        if (stop.stop_requested()) {
            return opening_cancelled();
        }
        const Result<Image> read = read_image(pictures[i].file, sample[0]);
        if (!read) {
            return make_error(read.error());
        }
        const Image image = resized(*read, sample[1], sample[2]);
        std::uint8_t* to = split.pixels.data() + i * channels * plane;
        for (std::size_t c = 0; c < channels; ++c) {
            for (std::size_t p = 0; p < plane; ++p) {
                to[c * plane + p] = image.pixels[p * channels + c];
            }
        }
        split.labels.push_back(pictures[i].label);
    }
    return {};
}

// What was asked for, or the size of the first picture.
Result<Shape> choose_sample(const DatasetOptions& options, const fs::path& first) {
    if (options.sample.rank() == 0) {
        const Result<ImageHeader> header = read_image_header(first);
        if (!header) {
            return make_error(header.error());
        }
        return Shape{header->channels, header->height, header->width};
    }
    const Shape& sample = options.sample;
    if (sample.rank() != 3 || (sample[0] != 1 && sample[0] != 3) ||
        std::min(sample[1], sample[2]) < 1 || std::max(sample[1], sample[2]) > largest_image_side) {
        return make_error(ErrorCode::invalid_argument,
                          "Pictures are resized to 1 or 3 channels and at most {}x{}, not to {}.",
                          largest_image_side, largest_image_side, sample.to_string());
    }
    return sample;
}

Result<void> check_size(const fs::path& folder, std::size_t count, const Shape& sample) {
    if (static_cast<std::int64_t>(count) > largest_split_bytes / sample.elements()) {
        return make_error(
            ErrorCode::out_of_memory,
            "{}: {} pictures of {} are more than the {} a data set may have; choose a "
            "smaller size or fewer samples.",
            folder.string(), format_count(static_cast<std::int64_t>(count)), sample.to_string(),
            format_bytes(largest_split_bytes));
    }
    return expect_memory(static_cast<std::int64_t>(count) * sample.elements(), folder.string());
}

}  // namespace

OpenedDataset open_image_folder(const DatasetOptions& options) {
    auto dataset = std::make_shared<Dataset>();
    dataset->source = options.folder.string();
    const fs::path train = options.folder / "train";
    const fs::path test = options.folder / "test";
    auto classes = find_classes(train);
    if (!classes) {
        return make_error(std::move(classes.error()));
    }
    dataset->class_names = std::move(*classes);
    dataset->classes = static_cast<std::int64_t>(dataset->class_names.size());
    std::error_code failed;
    for (const fs::path& folder : {train, test}) {
        const bool is_train = folder == train;
        if (!is_train && !fs::is_directory(test, failed)) {
            break;
        }
        const auto pictures = find_pictures(folder, dataset->class_names, is_train,
                                            is_train ? options.train_count : options.test_count);
        if (!pictures) {
            return make_error(pictures.error());
        }
        if (is_train) {
            const Result<Shape> sample = choose_sample(options, pictures->front().file);
            if (!sample) {
                return make_error(sample.error());
            }
            dataset->sample = *sample;
        }
        if (Result<void> fits = check_size(folder, pictures->size(), dataset->sample); !fits) {
            return make_error(std::move(fits.error()));
        }
        if (Result<void> read = read_pictures(*pictures, dataset->sample, options.stop,
                                              is_train ? dataset->train : dataset->test);
            !read) {
            return make_error(std::move(read.error()));
        }
    }
    return dataset;
}

}  // namespace trainscope
