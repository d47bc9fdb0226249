// SPDX-License-Identifier: GPL-3.0-or-later
// Which kernel variant each operator uses, by the operator's name. What is not named is "auto".
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace trainscope {

class VariantChoice {
  public:
    std::string_view of(std::string_view op) const {
        const auto found = names_.find(op);
        return found == names_.end() ? std::string_view("auto") : std::string_view(found->second);
    }
    // "auto" unnames it: no device need know the operator for that.
    void set(std::string op, std::string variant) {
        if (variant == "auto") {
            names_.erase(op);
        } else {
            names_.insert_or_assign(std::move(op), std::move(variant));
        }
    }
    const std::map<std::string, std::string, std::less<>>& names() const { return names_; }
    bool operator==(const VariantChoice&) const = default;

  private:
    std::map<std::string, std::string, std::less<>> names_;
};

}  // namespace trainscope
