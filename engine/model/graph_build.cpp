// SPDX-License-Identifier: GPL-3.0-or-later
// Shape inference: from a list of layers to a graph.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <utility>

#include "engine/model/graph.h"
#include "engine/model/layer_json.h"
#include "engine/model/node_shapes.h"

namespace trainscope {

namespace {

constexpr std::int64_t most_parameters = std::int64_t{1} << 31;
constexpr std::int64_t most_macs = std::int64_t{1} << 44;

bool is_loss(const LayerSpec& layer) {
    return std::holds_alternative<SoftmaxCrossEntropySpec>(layer);
}

class Builder {
  public:
    Builder(const ModelSpec& spec, const Shape& input, std::int64_t classes)
        : spec_(spec),
          model_(spec.source.empty() ? "Model " + spec.name : spec.source),
          shape_(input) {
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
            place_ = fmt::format("{}: layer {} ({})", model_, i + 1, node.type);
            if (Result<void> added = add_checked(node, i + 1 == spec_.layers.size()); !added) {
                return make_error(std::move(added.error()));
            }
            shape_ = node.output;
            graph_.nodes.push_back(std::move(node));
        }
        place_ = model_;
        if (graph_.nodes.empty()) {
            return refuse("there are no layers; the last must be softmax_cross_entropy");
        }
        if (parameters_ == 0) {
            return refuse("there is nothing to train; it needs a conv2d or dense layer");
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
        place_ = model_;
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

    Result<void> add_checked(Node& node, bool last) {
        if (is_loss(node.spec) != last) {
            return refuse("softmax_cross_entropy must be the last layer and only that");
        }
        Result<void> added =
            std::visit([&](const auto& layer) { return add(layer, node); }, node.spec);
        return added ? check_output(node) : added;
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
        if (node.macs < 0 || node.macs > most_macs - macs_) {
            return refuse("with it a sample takes more than {} multiply-accumulates", most_macs);
        }
        macs_ += node.macs;
        return {};
    }

    Result<void> needs_image() const {
        if (shape_.rank() != 3) {
            return refuse("it needs an input of [C, H, W], but gets {}; put it before flatten",
                          shape_.to_string());
        }
        return {};
    }

    // For what comes from code; the readers of JSON are stricter.
    Result<void> check_window(std::initializer_list<std::int64_t> kernel_and_stride,
                              std::initializer_list<std::int64_t> padding) const {
        const auto outside = [](std::int64_t least) {
            return [=](std::int64_t value) { return value < least || value > largest_dimension; };
        };
        if (std::any_of(kernel_and_stride.begin(), kernel_and_stride.end(), outside(1)) ||
            std::any_of(padding.begin(), padding.end(), outside(0))) {
            return refuse("its kernel and stride must be from 1, and its padding from 0, to {}",
                          largest_dimension);
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
        if (Result<void> window =
                check_window({spec.kernel_h, spec.kernel_w, spec.stride_h, spec.stride_w},
                             {spec.pad_h, spec.pad_w});
            !window) {
            return window;
        }
        if (spec.filters > largest_dimension) {
            return refuse("{} filters are more than {}", spec.filters, largest_dimension);
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
        const Conv2d::Shape shape = conv2d_shape(node, 1);
        const std::int64_t padded_h = shape.h + 2 * shape.pad_h;
        const std::int64_t padded_w = shape.w + 2 * shape.pad_w;
        if (shape.r > padded_h || shape.s > padded_w) {
            return refuse("a {}x{} kernel is larger than its padded input of {}x{}", shape.r,
                          shape.s, padded_h, padded_w);
        }
        node.name = numbered("conv");
        node.output = {shape.k, shape.out_h(), shape.out_w()};
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
        node.macs =
            checked_elements(std::array{node.output[0], node.output[1], node.output[2], fan_in});
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
        if (Result<void> window =
                check_window({spec.kernel_h, spec.kernel_w, spec.stride_h, spec.stride_w},
                             {spec.pad_h, spec.pad_w});
            !window) {
            return window;
        }
        if (spec.pad_h >= spec.kernel_h || spec.pad_w >= spec.kernel_w) {
            return refuse("its padding of {}x{} must be less than its window of {}x{}", spec.pad_h,
                          spec.pad_w, spec.kernel_h, spec.kernel_w);
        }
        const MaxPool2d::Shape shape = max_pool2d_shape(node, 1);
        if (shape.kernel_h > shape.h + 2 * shape.pad_h ||
            shape.kernel_w > shape.w + 2 * shape.pad_w) {
            return refuse("a window of {}x{} is larger than its input of {}x{}", spec.kernel_h,
                          spec.kernel_w, shape_[1], shape_[2]);
        }
        if (spec.kernel_h * spec.kernel_w > 255) {
            return refuse("a window of {}x{} has more than 255 values", spec.kernel_h,
                          spec.kernel_w);
        }
        node.name = numbered("pool");
        node.output = {shape.c, shape.out_h(), shape.out_w()};
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
        node.macs = checked_elements(std::array{units, shape_[0]});
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
    std::string model_;  // what messages call it
    Graph graph_;
    Shape shape_;
    std::string place_;
    std::map<std::string, int> counts_;
    std::int64_t parameters_ = 0;  // running statistics included
    std::int64_t macs_ = 0;
};

}  // namespace

Result<Graph> build_graph(const ModelSpec& spec, const Shape& input, std::int64_t classes) {
    return Builder(spec, input, classes).build();
}

}  // namespace trainscope
