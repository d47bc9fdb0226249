// SPDX-License-Identifier: GPL-3.0-or-later
// Models that are refused: the message names the source, the layer, the field, what was expected
// and what was found.
#include <gtest/gtest.h>

#include "tests/model/refusal.h"

namespace trainscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string refused(std::string_view json) {
    const Result<ModelSpec> spec = parse_model(json, "m.json");
    if (!spec) {
        EXPECT_EQ(spec.error().code, ErrorCode::bad_file);
    }
    return testing::refusal(spec);
}

// The second of three layers is this one.
std::string refused_layer(std::string_view layer) {
    return refused(fmt::format(
        R"({{"layers": [{{"type": "relu"}}, {}, {{"type": "softmax_cross_entropy"}}]}})", layer));
}

TEST(ParseModelErrors, AnUnknownLayerIsNamedWithTheNearestOne) {
    EXPECT_THAT(refused_layer(R"({"type": "conv2", "filters": 16})"),
                AllOf(StartsWith("m.json: layer 2"), HasSubstr("\"conv2\""),
                      HasSubstr("did you mean 'conv2d'?"), HasSubstr("max_pool")));
}

TEST(ParseModelErrors, ALayerNeedsATypeThatIsText) {
    EXPECT_THAT(refused_layer(R"({"filters": 16})"),
                AllOf(StartsWith("m.json: layer 2"), HasSubstr("type"), HasSubstr("conv2d")));
    EXPECT_THAT(refused_layer(R"({"type": 5})"),
                AllOf(StartsWith("m.json: layer 2"), HasSubstr("type"), HasSubstr("not 5")));
    EXPECT_THAT(refused_layer("7"),
                AllOf(StartsWith("m.json: layer 2"), HasSubstr("an object"), HasSubstr("not 7")));
}

TEST(ParseModelErrors, AnUnknownFieldIsNamedWithTheNearestOne) {
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": 1, "strides": 2})"),
                AllOf(StartsWith("m.json: layer 2 (conv2d): "), HasSubstr("'strides'"),
                      HasSubstr("did you mean 'stride'?")));
    EXPECT_THAT(refused_layer(R"({"type": "relu", "slope": 0.1})"),
                AllOf(StartsWith("m.json: layer 2 (relu): "), HasSubstr("'slope'")));
    EXPECT_THAT(refused(R"({"layer": []})"),
                AllOf(StartsWith("m.json: "), HasSubstr("'layer'"), HasSubstr("'layers'")));
    EXPECT_THAT(refused(R"({"layers": [{"type": "softmax_cross_entropy"}],
                            "optimizer": {"lr": 1}})"),
                AllOf(StartsWith("m.json: optimizer: "), HasSubstr("'lr'")));
}

TEST(ParseModelErrors, AMisspeltFieldIsToldRatherThanTheOneThatIsMissingForIt) {
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filter": 16})"),
                AllOf(HasSubstr("'filter'"), HasSubstr("did you mean 'filters'?")));
}

TEST(ParseModelErrors, KnownFieldsAreListedOnceEach) {
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": 1, "x": 2})"),
                HasSubstr("(known: type, filters, kernel, stride, padding, groups, bias, "
                          "initializer)"));
    EXPECT_THAT(refused_layer(R"({"type": "max_pool", "stride": 1, "x": 2})"),
                HasSubstr("(known: type, kernel, stride, padding)"));
    EXPECT_THAT(refused_layer(R"({"type": "dense", "units": 3, "x": 2})"),
                HasSubstr("(known: type, units, bias, initializer)"));
}

TEST(ParseModelErrors, AFieldOfTheWrongTypeSaysWhatWasExpectedAndFound) {
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": "many"})"),
                AllOf(StartsWith("m.json: layer 2 (conv2d): filters must be a whole number from 1"),
                      HasSubstr("not \"many\"")));
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": 1, "bias": 1})"),
                HasSubstr("bias must be true or false, not 1"));
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": 1, "initializer": "he"})"),
                HasSubstr("initializer must be one of kaiming_normal, glorot_uniform, not \"he\""));
    EXPECT_THAT(refused_layer(R"({"type": "batch_norm", "eps": "small"})"),
                AllOf(HasSubstr("eps must be a number from"), HasSubstr("not \"small\"")));
    EXPECT_THAT(refused_layer(R"({"type": "batch_norm", "eps": null})"), HasSubstr("not null"));
    EXPECT_THAT(refused(R"({"name": ["a"], "layers": []})"),
                AllOf(HasSubstr("name must be a text"), HasSubstr("not [\"a\"]")));
    EXPECT_THAT(refused(R"({"layers": {"type": "relu"}})"),
                AllOf(HasSubstr("layers must be a list"), HasSubstr("not an object")));
    EXPECT_THAT(refused(R"({"layers": [{"type": "softmax_cross_entropy"}], "optimizer": "adam"})"),
                AllOf(HasSubstr("optimizer must be an object"), HasSubstr("\"adam\"")));
}

TEST(ParseModelErrors, WhatAFieldTakesBesideNumbersIsSaid) {
    EXPECT_THAT(refused_layer(R"({"type": "dense", "units": "clases"})"),
                AllOf(HasSubstr("units must be \"classes\" or a whole number"),
                      HasSubstr("not \"clases\"")));
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": 1, "padding": "full"})"),
                AllOf(HasSubstr("\"same\""), HasSubstr("\"valid\""), HasSubstr("not \"full\"")));
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": 1, "padding": true})"),
                AllOf(HasSubstr("\"same\""), HasSubstr("\"valid\""), HasSubstr("not true")));
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": 1, "kernel": [3, 3, 3]})"),
                AllOf(HasSubstr("[height, width]"), HasSubstr("not [3,3,3]")));
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": 1, "kernel": [3, "x"]})"),
                AllOf(HasSubstr("kernel"), HasSubstr("not \"x\"")));
}

TEST(ParseModelErrors, AMissingFieldIsNamed) {
    EXPECT_THAT(refused_layer(R"({"type": "conv2d"})"),
                AllOf(StartsWith("m.json: layer 2 (conv2d): "), HasSubstr("filters"),
                      HasSubstr("missing")));
    EXPECT_THAT(refused_layer(R"({"type": "dense"})"),
                AllOf(StartsWith("m.json: layer 2 (dense): "), HasSubstr("units"),
                      HasSubstr("missing"), HasSubstr("\"classes\"")));
    EXPECT_THAT(refused(R"({"name": "x"})"), AllOf(HasSubstr("layers"), HasSubstr("missing")));
}

TEST(ParseModelErrors, CountsAreAtLeastOneAndBounded) {
    const std::vector<std::string> bad_values = {"0",
                                                 "-1",
                                                 "-9223372036854775808",
                                                 "1048577",
                                                 "9223372036854775808",
                                                 "18446744073709551615",
                                                 "99999999999999999999999999",
                                                 "3.0",
                                                 "3.5",
                                                 "1e3"};
    for (const std::string& bad : bad_values) {
        const std::string message =
            refused_layer(fmt::format(R"({{"type": "conv2d", "filters": {}}})", bad));
        EXPECT_THAT(message, AllOf(StartsWith("m.json: layer 2 (conv2d): filters"),
                                   HasSubstr("a whole number from 1 to 1048576, not ")))
            << bad;
    }
    EXPECT_THAT(refused_layer(R"({"type": "max_pool", "kernel": 0})"), HasSubstr("kernel"));
    EXPECT_THAT(refused_layer(R"({"type": "max_pool", "stride": 0})"), HasSubstr("stride"));
    EXPECT_THAT(refused_layer(R"({"type": "max_pool", "padding": -1})"), HasSubstr("padding"));
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": 4, "groups": 0})"),
                HasSubstr("groups"));
    EXPECT_THAT(refused_layer(R"({"type": "dense", "units": 0})"), HasSubstr("units"));
}

TEST(ParseModelErrors, RatesAreBounded) {
    const auto optimizer = [](std::string_view field, std::string_view value) {
        return refused(fmt::format(
            R"({{"layers": [{{"type": "softmax_cross_entropy"}}], "optimizer": {{"{}": {}}}}})",
            field, value));
    };
    EXPECT_THAT(optimizer("learning_rate", "0"), HasSubstr("learning_rate must be a number from"));
    EXPECT_THAT(optimizer("learning_rate", "-0.1"), HasSubstr("not -0.1"));
    EXPECT_THAT(optimizer("learning_rate", "1e300"), HasSubstr("not 1e+300"));
    EXPECT_THAT(optimizer("momentum", "1.5"), HasSubstr("momentum"));
    EXPECT_THAT(optimizer("beta1", "1"), HasSubstr("beta1"));
    EXPECT_THAT(optimizer("kind", R"("rmsprop")"),
                AllOf(HasSubstr("kind must be one of sgd, momentum, adam, adamw"),
                      HasSubstr("not \"rmsprop\"")));
}

TEST(ParseModelErrors, ANumberBeyondDoubleIsAnErrorAndNoException) {
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": 1e400})"),
                AllOf(StartsWith("m.json: "), HasSubstr("line 1"), HasSubstr("1e400")));
}

TEST(ParseModelErrors, SamePaddingNeedsOddKernelsAndStrideOne) {
    EXPECT_THAT(
        refused_layer(R"({"type": "conv2d", "filters": 1, "kernel": 4, "padding": "same"})"),
        AllOf(StartsWith("m.json: layer 2 (conv2d): kernel must be odd"), HasSubstr("not 4")));
    EXPECT_THAT(
        refused_layer(R"({"type": "conv2d", "filters": 1, "kernel": [3, 2], "padding": "same"})"),
        AllOf(HasSubstr("kernel must be odd"), HasSubstr("not [3,2]")));
    EXPECT_THAT(
        refused_layer(R"({"type": "conv2d", "filters": 1, "padding": "same", "stride": 2})"),
        AllOf(HasSubstr("stride must be 1"), HasSubstr("not 2")));
}

TEST(ParseModelErrors, ThereIsAtLeastOneLayerAndAtMostAThousand) {
    EXPECT_THAT(
        refused(R"({"layers": []})"),
        AllOf(StartsWith("m.json: layers"), HasSubstr("at least one"), HasSubstr("not []")));
    std::string many = R"({"layers": [)";
    for (int i = 0; i < 1001; ++i) {
        many += R"({"type": "relu"},)";
    }
    EXPECT_THAT(refused(many + R"({"type": "softmax_cross_entropy"}]})"),
                AllOf(HasSubstr("1002"), HasSubstr("at most 1000")));
}

TEST(ParseModelErrors, TheLossIsTheLastLayerAndOnlyThat) {
    EXPECT_THAT(refused_layer(R"({"type": "softmax_cross_entropy"})"),
                AllOf(StartsWith("m.json: layer 2 (softmax_cross_entropy)"), HasSubstr("last")));
    EXPECT_THAT(refused(R"({"layers": [{"type": "flatten"}, {"type": "dense", "units": 2}]})"),
                AllOf(StartsWith("m.json: layer 2 (dense)"), HasSubstr("softmax_cross_entropy"),
                      HasSubstr("last")));
}

TEST(ParseModelErrors, AFieldGivenTwiceIsAnError) {
    EXPECT_THAT(refused_layer(R"({"type": "conv2d", "filters": 1, "kernel": 3, "kernel": 5})"),
                AllOf(StartsWith("m.json: layer 2"), HasSubstr("'kernel'"), HasSubstr("twice")));
    EXPECT_THAT(refused(R"({"name": "a", "name": "b", "layers": []})"),
                AllOf(StartsWith("m.json: "), HasSubstr("'name'"), HasSubstr("twice")));
    EXPECT_THAT(refused(R"({"layers": [{"type": "softmax_cross_entropy"}],
                            "optimizer": {"kind": "sgd", "kind": "adam"}})"),
                AllOf(StartsWith("m.json: optimizer"), HasSubstr("'kind'"), HasSubstr("twice")));
    // The same field in two layers is not given twice.
    EXPECT_TRUE(parse_model(R"({"layers": [{"type": "relu"}, {"type": "relu"},
                                           {"type": "softmax_cross_entropy"}]})",
                            "m.json"));
}

TEST(ParseModelErrors, DeepNestingIsRefusedWithoutUsingUpTheStack) {
    for (const std::size_t depth : {17u, 1'000u, 500'000u}) {
        EXPECT_THAT(refused(std::string(depth, '[')),
                    AllOf(StartsWith("m.json: "), HasSubstr("nested more than 16 deep")))
            << depth;
        std::string objects;
        for (std::size_t i = 0; i < depth && objects.size() < 1'000'000; ++i) {
            objects += R"({"a":)";
        }
        EXPECT_THAT(refused(objects), HasSubstr("nested more than 16 deep")) << depth;
    }
}

TEST(ParseModelErrors, TextThatIsNotJsonIsPlacedByLineAndColumn) {
    EXPECT_THAT(refused("{\n  \"name\" 5\n}"), AllOf(StartsWith("m.json: "), HasSubstr("not JSON"),
                                                     HasSubstr("line 2, column 10")));
    EXPECT_THAT(refused("hello"), HasSubstr("line 1, column 1"));
    EXPECT_THAT(refused(R"({"name" "x"})"), HasSubstr(R"(unexpected '"x"')"));
}

TEST(ParseModelErrors, TextThatEndsTooEarlyIsToldSo) {
    EXPECT_THAT(refused(""), AllOf(StartsWith("m.json: "), HasSubstr("ends too early")));
    EXPECT_THAT(refused(R"({"layers": [{"type": "re)"), HasSubstr("ends too early"));
    EXPECT_THAT(refused(R"({"layers": [)"), HasSubstr("ends too early"));
}

TEST(ParseModelErrors, TextBehindTheModelIsRefused) {
    const std::string model = to_json(testing::preset("simple-cnn"));
    ASSERT_TRUE(parse_model(model + " \n\t", "m.json")) << "white space is no garbage";
    EXPECT_THAT(refused(model + "x"), AllOf(StartsWith("m.json: "), HasSubstr("not JSON")));
    EXPECT_THAT(refused(model + model), HasSubstr("not JSON"));
    EXPECT_THAT(refused(model + std::string("\0 rest", 6)), HasSubstr("zero byte"))
        << "a zero byte must not pass for the end of the text";
}

TEST(ParseModelErrors, TextThatIsNotUtf8IsRefused) {
    const std::string message = refused("{\"name\": \"caf\xE9\", \"layers\": []}");
    EXPECT_THAT(message, AllOf(StartsWith("m.json: "), HasSubstr("UTF-8"), HasSubstr("line 1")));
    EXPECT_THAT(message, Not(HasSubstr("\xE9"))) << "a message must be UTF-8 itself";
}

TEST(ParseModelErrors, AModelIsAnObject) {
    EXPECT_THAT(refused("[]"), AllOf(StartsWith("m.json: "), HasSubstr("object"), HasSubstr("[]")));
    EXPECT_THAT(refused("5"), HasSubstr("not 5"));
}

TEST(ParseModelErrors, NamesAreShortAndOfOneLine) {
    const auto named = [](std::string_view name) {
        return refused(fmt::format(
            R"({{"name": "{}", "layers": [{{"type": "softmax_cross_entropy"}}]}})", name));
    };
    EXPECT_THAT(named(""), HasSubstr("name must be"));
    EXPECT_THAT(named(std::string(101, 'a')), HasSubstr("name must be a text of 1 to 100 bytes"));
    EXPECT_THAT(named("two\\nlines"), HasSubstr("one line"));
}

TEST(ParseModelErrors, MessagesStayShortWhateverTheFileHolds) {
    const std::string long_text(100'000, 'a');
    EXPECT_LT(refused_layer(fmt::format(R"({{"type": "{}"}})", long_text)).size(), 400u);
    EXPECT_LT(refused_layer(fmt::format(R"({{"type": "relu", "{}": 1}})", long_text)).size(), 400u);
    EXPECT_LT(refused_layer(fmt::format(R"({{"type": "dense", "units": "{}"}})", long_text)).size(),
              400u);
    EXPECT_LT(refused(fmt::format(R"({{"{0}": 1, "{0}": 1}})", long_text)).size(), 400u);
    EXPECT_LT(refused(fmt::format(R"({{"layers" "{}"}})", long_text)).size(), 400u);
    // 39 letters, so that the cut would fall into the second byte of the ü behind them.
    const std::string umlaut = refused_layer(
        fmt::format(R"({{"type": "dense", "units": "{}ü{}"}})", std::string(38, 'a'), long_text));
    EXPECT_EQ(umlaut.find("\xC3..."), std::string::npos) << "a letter was cut in two";
}

TEST(ParseModelErrors, ATextLongerThanAMebibyteIsRefusedUnread) {
    EXPECT_THAT(refused(std::string((std::size_t{1} << 20) + 1, ' ')),
                AllOf(StartsWith("m.json: "), HasSubstr("1048576")));
}

}  // namespace
}  // namespace trainscope
