// SPDX-License-Identifier: GPL-3.0-or-later
// The reader of safetensors files: every number in them is checked before it is used.
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/core/open_file.h"
#include "engine/core/shape.h"
#include "engine/record/safetensors.h"
#include "engine/record/safetensors_dtypes.h"

namespace trainscope {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Entry {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

template <class... Args>
tl::unexpected<Error> bad(const fs::path& file, fmt::format_string<Args...> format,
                          Args&&... args) {
    return make_error(ErrorCode::bad_file, "{}: {}", file.string(),
                      fmt::format(format, std::forward<Args>(args)...));
}

bool read_all(std::FILE* in, void* to, std::size_t bytes) {
    return std::fread(to, 1, bytes, in) == bytes;
}

// The JSON text of the header, and where the buffer behind it begins.
Result<std::string> read_header(const fs::path& file, std::FILE* in, std::int64_t file_size) {
    if (file_size < 8) {
        return bad(file, "a safetensors file has at least 8 bytes, this one has {}.", file_size);
    }
    std::uint64_t length = 0;
    char raw[8] = {};
    if (!read_all(in, raw, sizeof raw)) {
        return make_error(ErrorCode::io, "{}: cannot read its first 8 bytes.", file.string());
    }
    std::memcpy(&length, raw, sizeof length);
    if (length > static_cast<std::uint64_t>(detail::max_safetensors_header) ||
        length > static_cast<std::uint64_t>(file_size - 8)) {
        return bad(file,
                   "offset 0: the header's length is {}, but {} bytes follow it (and at most {} "
                   "are allowed).",
                   length, file_size - 8, detail::max_safetensors_header);
    }
    std::string header(static_cast<std::size_t>(length), '\0');
    if (!read_all(in, header.data(), header.size())) {
        return make_error(ErrorCode::io, "{}: cannot read its header of {} bytes.", file.string(),
                          length);
    }
    if (header.empty() || header.front() != '{') {
        return bad(file, "offset 8: expected a JSON object that starts with '{{'.");
    }
    return header;
}

// Parses and refuses a name that occurs twice in one object, which JSON readers resolve
// differently.
Result<json> parse_header(const fs::path& file, const std::string& text) {
    std::vector<std::set<std::string>> names;
    std::string twice;
    const auto watch = [&](int /*depth*/, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) {
            names.emplace_back();
        } else if (event == json::parse_event_t::object_end) {
            names.pop_back();
        } else if (event == json::parse_event_t::key &&
                   !names.back().insert(parsed.get<std::string>()).second) {
            twice = parsed.get<std::string>();
        }
        return true;
    };
    try {
        json header = json::parse(text, watch);
        if (!header.is_object()) {
            return bad(file, "offset 8: expected a JSON object, found {}.", header.type_name());
        }
        if (!twice.empty()) {
            return bad(file, "the name '{}' occurs twice in its header.", twice);
        }
        return header;
    } catch (const json::exception& error) {
        return bad(file, "offset 8: its header is not JSON ({}).", error.what());
    }
}

Result<std::map<std::string, std::string>> read_metadata(const fs::path& file, const json& node) {
    std::map<std::string, std::string> metadata;
    if (!node.is_object()) {
        return bad(file, "__metadata__: expected an object of strings, found {}.",
                   node.type_name());
    }
    for (const auto& [key, value] : node.items()) {
        if (!value.is_string()) {
            return bad(file, "__metadata__ '{}': expected a string, found {}.", key,
                       value.type_name());
        }
        metadata.emplace(key, value.get<std::string>());
    }
    return metadata;
}

// An array of whole numbers, each in 0 .. 2^62.
bool read_numbers(const json& node, const char* field, std::vector<std::int64_t>& numbers) {
    const auto found = node.find(field);
    if (found == node.end() || !found->is_array()) {
        return false;
    }
    for (const json& number : *found) {
        if (!number.is_number_unsigned() ||
            number.get<std::uint64_t>() > (std::uint64_t{1} << 62)) {
            return false;
        }
        numbers.push_back(number.get<std::int64_t>());
    }
    return true;
}

Result<Entry> read_entry(const fs::path& file, const std::string& name, const json& node,
                         std::int64_t buffer_size) {
    Entry entry{.name = name, .dtype = {}, .shape = {}};
    if (!node.is_object() || node.size() != 3 || !node.contains("dtype") ||
        !node["dtype"].is_string()) {
        return bad(file, "tensor '{}': expected an object with dtype, shape and data_offsets.",
                   name);
    }
    entry.dtype = node["dtype"].get<std::string>();
    const std::int64_t size = detail::dtype_bytes(entry.dtype);
    if (size == 0) {
        return bad(file, "tensor '{}': unknown dtype '{}'.", name, entry.dtype);
    }
    if (!read_numbers(node, "shape", entry.shape)) {
        return bad(file, "tensor '{}': shape must be a list of whole numbers from 0.", name);
    }
    std::vector<std::int64_t> offsets;
    if (!read_numbers(node, "data_offsets", offsets) || offsets.size() != 2 ||
        offsets[0] > offsets[1] || offsets[1] > buffer_size) {
        return bad(file,
                   "tensor '{}': data_offsets must be [begin, end] with 0 <= begin <= end <= {} "
                   "(the bytes behind the header).",
                   name, buffer_size);
    }
    entry.begin = offsets[0];
    entry.end = offsets[1];
    const std::int64_t elements = checked_elements(entry.shape);
    if (elements < 0 || elements > buffer_size / size ||
        elements * size != entry.end - entry.begin) {
        return bad(file, "tensor '{}': {} of shape [{}] does not fill its {} bytes.", name,
                   entry.dtype, fmt::join(entry.shape, ", "), entry.end - entry.begin);
    }
    return entry;
}

// Entries tile the buffer from 0 to its end without a hole or an overlap.
Result<void> check_tiling(const fs::path& file, std::vector<Entry>& entries,
                          std::int64_t buffer_size) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::int64_t reached = 0;
    for (const Entry& entry : entries) {
        if (entry.begin != reached) {
            return bad(file, "tensor '{}' begins at byte {} of the buffer, expected {}.",
                       entry.name, entry.begin, reached);
        }
        reached = entry.end;
    }
    if (reached != buffer_size) {
        return bad(file, "its tensors end at byte {} of the buffer, which has {} bytes.", reached,
                   buffer_size);
    }
    return {};
}

// Metadata and entries of a parsed header, in the buffer's order.
Result<std::vector<Entry>> read_entries(const fs::path& file, const json& header,
                                        std::int64_t buffer_size,
                                        std::map<std::string, std::string>& metadata) {
    std::vector<Entry> entries;
    for (const auto& [name, node] : header.items()) {
        if (name == "__metadata__") {
            auto read = read_metadata(file, node);
            if (!read) {
                return make_error(std::move(read.error()));
            }
            metadata = std::move(*read);
            continue;
        }
        auto entry = read_entry(file, name, node, buffer_size);
        if (!entry) {
            return make_error(std::move(entry.error()));
        }
        entries.push_back(std::move(*entry));
    }
    if (auto tiled = check_tiling(file, entries, buffer_size); !tiled) {
        return make_error(std::move(tiled.error()));
    }
    return entries;
}

}  // namespace

Result<SafeTensors> read_safetensors(const fs::path& file) {
    const Result<OpenedFile> opened = open_file(file);
    if (!opened) {
        return make_error(opened.error());
    }
    std::FILE* const in = opened->stream.get();
    const std::int64_t file_size = opened->bytes;
    const Result<std::string> text = read_header(file, in, file_size);
    if (!text) {
        return make_error(text.error());
    }
    const Result<json> header = parse_header(file, *text);
    if (!header) {
        return make_error(header.error());
    }
    SafeTensors content;
    auto entries = read_entries(
        file, *header, file_size - 8 - static_cast<std::int64_t>(text->size()), content.metadata);
    if (!entries) {
        return make_error(std::move(entries.error()));
    }
    for (Entry& entry : *entries) {
        SafeTensor tensor{
            .dtype = std::move(entry.dtype),
            .shape = std::move(entry.shape),
            .bytes = std::vector<std::byte>(static_cast<std::size_t>(entry.end - entry.begin))};
        if (!read_all(in, tensor.bytes.data(), tensor.bytes.size())) {
            return make_error(ErrorCode::io, "{}: cannot read tensor '{}' ({} bytes).",
                              file.string(), entry.name, tensor.bytes.size());
        }
        content.tensors.emplace(std::move(entry.name), std::move(tensor));
    }
    return content;
}

}  // namespace trainscope
