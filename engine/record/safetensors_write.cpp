// SPDX-License-Identifier: GPL-3.0-or-later
// The writer of safetensors files, in the order of the reference writer.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/core/shape.h"
#include "engine/record/atomic_file.h"
#include "engine/record/safetensors.h"
#include "engine/record/safetensors_dtypes.h"

namespace trainscope {

namespace {

using Named = std::pair<const std::string, SafeTensor>;

Result<void> check(const std::filesystem::path& file, const std::string& name,
                   const SafeTensor& tensor) {
    const std::int64_t size = detail::dtype_bytes(tensor.dtype);
    const std::int64_t elements = checked_elements(tensor.shape);
    const auto bytes = static_cast<std::int64_t>(tensor.bytes.size());
    if (name == "__metadata__" || size == 0 || elements < 0 || elements != bytes / size ||
        bytes % size != 0) {
        return make_error(ErrorCode::invalid_argument,
                          "{}: tensor '{}' cannot be written: dtype '{}', {} bytes, {} elements.",
                          file.string(), name, tensor.dtype, bytes, elements);
    }
    return {};
}

}  // namespace

Result<void> write_safetensors(const std::filesystem::path& file, const SafeTensors& content) {
    std::vector<const Named*> order;
    for (const Named& named : content.tensors) {
        if (auto checked = check(file, named.first, named.second); !checked) {
            return checked;
        }
        order.push_back(&named);
    }
    std::stable_sort(order.begin(), order.end(), [](const Named* a, const Named* b) {
        return detail::dtype_bytes(a->second.dtype) > detail::dtype_bytes(b->second.dtype);
    });

    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!content.metadata.empty()) {
        header["__metadata__"] = content.metadata;
    }
    std::size_t offset = 0;
    for (const Named* named : order) {
        const SafeTensor& tensor = named->second;
        header[named->first] = {{"dtype", tensor.dtype},
                                {"shape", tensor.shape},
                                {"data_offsets", {offset, offset + tensor.bytes.size()}}};
        offset += tensor.bytes.size();
    }
    std::string text;
    try {
        text = header.dump();
    } catch (const nlohmann::json::exception&) {
        return make_error(ErrorCode::invalid_argument,
                          "{}: a name or its metadata is not UTF-8 text.", file.string());
    }
    text.resize((text.size() + 7) / 8 * 8, ' ');

    auto out = AtomicFile::create(file);
    if (!out) {
        return make_error(std::move(out.error()));
    }
    const std::uint64_t length = text.size();
    out->write({reinterpret_cast<const char*>(&length), sizeof length});
    out->write(text);
    for (const Named* named : order) {
        const std::vector<std::byte>& bytes = named->second.bytes;
        out->write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return out->commit();
}

}  // namespace trainscope
