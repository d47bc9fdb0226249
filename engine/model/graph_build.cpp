// SPDX-License-Identifier: GPL-3.0-or-later
// Shape inference: from a list of layers to a graph.
#include <map>
#include <utility>

#include "engine/model/graph.h"
#include "engine/model/layer_json.h"

namespace trainscope {

namespace {

constexpr std::int64_t largest_dimension = std::int64_t{1} << 20;
constexpr std::int64_t most_parameters = std::int64_t{1} << 31;

class Builder {
  public:
    Builder(const ModelSpec& spec, const Shape& input, std::int64_t classes)
        : spec_(spec), shape_(input) {
        graph_.name = spec.name;
        graph_.input = input;
        graph_.classes = classes;
    }

    Result<Graph> build() {
        if (Result<void> checked = check_input(); !checked) {
            return make_error(std::move(checked.error()));
        }
        for (std::size_t i = 0; i < spec_.layers.size(); ++i) {
            Node node;
            node.spec = spec_.layers[i];
            node.type = type_of(node.spec);
            node.input = shape_;
            place_ = fmt::format("Model {}: layer {} ({})", spec_.name, i + 1, node.type);
            Result<void> added =
                std::visit([&](const auto& layer) { return add(layer, node); }, node.spec);
            if (!added) {
                return make_error(std::move(added.error()));
            }
            if (Result<void> checked = check_output(node); !checked) {
                return make_error(std::move(checked.error()));
            }
            shape_ = node.output;
            graph_.nodes.push_back(std::move(node));
        }
        if (graph_.nodes.empty() || graph_.nodes.back().type != "softmax_cross_entropy") {
            return refuse("the last layer must be softmax_cross_entropy");
        }
        return std::move(graph_);
    }

  private:
    template <class... Args>
    tl::unexpected<Error> refuse(fmt::format_string<Args...> format, Args&&... args) const {
        return make_error(ErrorCode::invalid_argument, "{}: {}.", place_,
                          fmt::format(format, std::forward<Args>(args)...));
    }

    Result<void> check_input() {
        place_ = "Model " + spec_.name;
        if (shape_.rank() != 3) {
            return refuse("the input must be [C, H, W], not {}", shape_.to_string());
        }
        for (const std::int64_t dim : shape_.dims()) {
            if (dim < 1 || dim > largest_dimension) {
                return refuse("the input's dimensions must be from 1 to {}, not {}",
                              largest_dimension, shape_.to_string());
            }
        }
        if (graph_.classes < 2 || graph_.classes > largest_dimension) {
            return refuse("there must be from 2 to {} classes, not {}", largest_dimension,
                          graph_.classes);
        }
        return {};
    }

    Result<void> check_output(const Node& node) {
        for (const std::int64_t dim : node.output.dims()) {
            if (dim < 1 || dim > largest_dimension) {
                return refuse("its output of {} has a dimension outside 1 to {}",
                              node.output.to_string(), largest_dimension);
            }
        }
        for (const ParameterSpec& parameter : node.parameters) {
            const std::int64_t count = checked_elements(parameter.shape.dims());
            if (count < 0 || count > most_parameters - parameters_) {
                return refuse("with its {} the model has more than {} parameters",
                              parameter.shape.to_string(), most_parameters);
            }
            parameters_ += count;
        }
        if (checked_elements(node.output.dims()) < 0) {
            return refuse("its output of {} is too large", node.output.to_string());
        }
        return {};
    }

    Result<void> needs_image() const {
        if (shape_.rank() != 3) {
            return refuse("it needs an input of [C, H, W], but gets {}; put it before flatten",
                          shape_.to_string());
        }
        return {};
    }

    std::string numbered(const std::string& stem) {
        return fmt::format("{}{}", stem, ++counts_[stem]);
    }

    Result<void> add(const Conv2dSpec& spec, Node& node) {
        if (Result<void> image = needs_image(); !image) {
            return image;
        }
        const std::int64_t c = shape_[0];
        if (spec.groups < 1 || spec.filters < 1 || c % spec.groups != 0 ||
            spec.filters % spec.groups != 0) {
            return refuse("{} input channels and {} filters cannot be cut into {} groups", c,
                          spec.filters, spec.groups);
        }
        if (spec.same_padding && (spec.stride_h != 1 || spec.stride_w != 1 ||
                                  spec.kernel_h % 2 == 0 || spec.kernel_w % 2 == 0)) {
            return refuse(
                "\"same\" padding needs stride 1 and odd kernels, not a {}x{} kernel of "
                "stride {}x{}",
                spec.kernel_h, spec.kernel_w, spec.stride_h, spec.stride_w);
        }
        const std::int64_t pad_h = spec.same_padding ? (spec.kernel_h - 1) / 2 : spec.pad_h;
        const std::int64_t pad_w = spec.same_padding ? (spec.kernel_w - 1) / 2 : spec.pad_w;
        const std::int64_t padded_h = shape_[1] + 2 * pad_h;
        const std::int64_t padded_w = shape_[2] + 2 * pad_w;
        if (spec.kernel_h > padded_h || spec.kernel_w > padded_w) {
            return refuse("a {}x{} kernel is larger than its padded input of {}x{}", spec.kernel_h,
                          spec.kernel_w, padded_h, padded_w);
        }
        node.name = numbered("conv");
        node.output = {spec.filters, (padded_h - spec.kernel_h) / spec.stride_h + 1,
                       (padded_w - spec.kernel_w) / spec.stride_w + 1};
        const std::int64_t window = spec.kernel_h * spec.kernel_w;
        const std::int64_t fan_in = c / spec.groups * window;
        node.parameters.push_back(
            {.name = node.name + ".weight",
             .shape = {spec.filters, c / spec.groups, spec.kernel_h, spec.kernel_w},
             .init = init_of(spec.initializer),
             .fan_in = fan_in,
             .fan_out = spec.filters / spec.groups * window});
        if (spec.bias) {
            node.parameters.push_back({.name = node.name + ".bias", .shape = {spec.filters}});
        }
        node.macs = node.output.elements() * fan_in;
        return {};
    }

    Result<void> add(const BatchNormSpec&, Node& node) {
        node.name = numbered("bn");
        node.output = shape_;
        const Shape channels = {shape_[0]};
        node.parameters = {
            {.name = node.name + ".gamma", .shape = channels, .init = ParameterInit::ones},
            {.name = node.name + ".beta", .shape = channels},
            {.name = node.name + ".running_mean", .shape = channels, .trainable = false},
            {.name = node.name + ".running_var",
             .shape = channels,
             .init = ParameterInit::ones,
             .trainable = false}};
        return {};
    }

    Result<void> add(const ReluSpec&, Node& node) {
        node.name = numbered("relu");
        node.output = shape_;
        return {};
    }

    Result<void> add(const MaxPoolSpec& spec, Node& node) {
        if (Result<void> image = needs_image(); !image) {
            return image;
        }
        if (spec.kernel_h * spec.kernel_w > 255) {
            return refuse("a window of {}x{} has more than 255 values", spec.kernel_h,
                          spec.kernel_w);
        }
        if (spec.pad_h >= spec.kernel_h || spec.pad_w >= spec.kernel_w) {
            return refuse("its padding of {}x{} must be less than its window of {}x{}", spec.pad_h,
                          spec.pad_w, spec.kernel_h, spec.kernel_w);
        }
        const std::int64_t padded_h = shape_[1] + 2 * spec.pad_h;
        const std::int64_t padded_w = shape_[2] + 2 * spec.pad_w;
        if (spec.kernel_h > padded_h || spec.kernel_w > padded_w) {
            return refuse("a window of {}x{} is larger than its input of {}x{}", spec.kernel_h,
                          spec.kernel_w, shape_[1], shape_[2]);
        }
        node.name = numbered("pool");
        node.output = {shape_[0], (padded_h - spec.kernel_h) / spec.stride_h + 1,
                       (padded_w - spec.kernel_w) / spec.stride_w + 1};
        return {};
    }

    Result<void> add(const FlattenSpec&, Node& node) {
        node.name = numbered("flatten");
        node.output = {shape_.elements()};
        return {};
    }

    Result<void> add(const DenseSpec& spec, Node& node) {
        if (shape_.rank() != 1) {
            return refuse("it needs a flat input, but gets {}; put a flatten before it",
                          shape_.to_string());
        }
        node.name = numbered("fc");
        const std::int64_t units = spec.units.value_or(graph_.classes);
        node.output = {units};
        node.parameters.push_back({.name = node.name + ".weight",
                                   .shape = {units, shape_[0]},
                                   .init = init_of(spec.initializer),
                                   .fan_in = shape_[0],
                                   .fan_out = units});
        if (spec.bias) {
            node.parameters.push_back({.name = node.name + ".bias", .shape = {units}});
        }
        node.macs = units * shape_[0];
        return {};
    }

    Result<void> add(const SoftmaxCrossEntropySpec&, Node& node) {
        if (shape_ != Shape{graph_.classes}) {
            return refuse("it needs one value for each of the {} classes, but gets {}",
                          graph_.classes, shape_.to_string());
        }
        node.name = "loss";
        node.output = shape_;
        return {};
    }

    static ParameterInit init_of(Initializer initializer) {
        return initializer == Initializer::kaiming_normal ? ParameterInit::kaiming_normal
                                                          : ParameterInit::glorot_uniform;
    }

    const ModelSpec& spec_;
    Graph graph_;
    Shape shape_;
    std::string place_;
    std::map<std::string, int> counts_;
    std::int64_t parameters_ = 0;
};

}  // namespace

Result<Graph> build_graph(const ModelSpec& spec, const Shape& input, std::int64_t classes) {
    return Builder(spec, input, classes).build();
}

}  // namespace trainscope
