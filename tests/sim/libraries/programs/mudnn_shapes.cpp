// muDNN's reductions, norms and rearrangements of tensors from stdin: OPERATION MODE TYPE DIMENSION SIZE... ; each result is
// written to stdout as it lies in memory.
#include <mudnn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

using namespace musa::dnn;

namespace {

using Sizes = std::vector<int64_t>;
using Type = Tensor::Type;

const std::map<std::string, std::pair<Type, size_t>> types = {
    {"float", {Type::FLOAT, 4}}, {"double", {Type::DOUBLE, 8}}, {"half", {Type::HALF, 2}}, {"int32", {Type::INT32, 4}},
    {"int64", {Type::INT64, 8}}, {"uint8", {Type::UINT8, 1}},   {"bool", {Type::BOOL, 1}}};

struct Operand {
    Operand(const std::string& type, const Sizes& sizes, bool given) : bytes(types.at(type).second) {
        for (int64_t size : sizes) bytes *= static_cast<size_t>(size);
        musaMallocManaged(&memory, bytes + 1);
        std::memset(memory, 0, bytes);
        if (given && std::fread(memory, 1, bytes, stdin) != bytes) std::exit(2);
        tensor.SetType(types.at(type).first);
        tensor.SetAddr(memory);
        tensor.SetNdInfo(static_cast<int64_t>(sizes.size()), sizes.data());
    }
    void show() const { std::fwrite(memory, 1, bytes, stdout); }

    size_t bytes;
    void* memory = nullptr;
    Tensor tensor;
};

void expect(Status status) {
    if (status == Status::SUCCESS) return;
    std::fprintf(stderr, "status %d\n", static_cast<int>(status));
    std::exit(3);
}

Sizes without(Sizes sizes, int dimension) {
    sizes.erase(sizes.begin() + dimension);
    return sizes;
}

Sizes with(Sizes sizes, int dimension, int64_t size) {
    sizes[static_cast<size_t>(dimension)] = size;
    return sizes;
}

void show(std::initializer_list<const Operand*> results) {
    musaDeviceSynchronize();
    for (const Operand* result : results) result->show();
}

void reduce(Handle& handle, const std::string& mode, const std::string& type, const std::string& out_type, int dimension,
            const Sizes& sizes) {
    static const std::map<std::string, Reduce::Mode> modes = {
        {"sum", Reduce::Mode::ADD},  {"mean", Reduce::Mode::MEAN}, {"amax", Reduce::Mode::MAX},     {"amin", Reduce::Mode::MIN},
        {"prod", Reduce::Mode::PROD}, {"all", Reduce::Mode::AND},  {"any", Reduce::Mode::OR},       {"norm", Reduce::Mode::NORM},
        {"std", Reduce::Mode::STD},  {"var", Reduce::Mode::VARIANCE}};
    Operand in(type, sizes, true), out(out_type, without(sizes, dimension), false);
    Reduce reduction;
    expect(reduction.SetMode(modes.at(mode)));
    expect(reduction.SetDim({dimension - static_cast<int>(sizes.size())}));
    expect(reduction.SetNormOrd(3));
    expect(reduction.Run(handle, out.tensor, in.tensor));
    show({&out});
}

}  // namespace

int main(int, char** words) {
    const std::string operation = words[1], mode = words[2], type = words[3], second_type = words[4];
    const int dimension = std::atoi(words[5]);
    Sizes sizes;
    for (char** word = words + 6; *word; ++word) sizes.push_back(std::atoll(*word));
    musaStream_t stream;
    musaStreamCreate(&stream);
    Handle handle(0);
    handle.SetStream(stream);
    if (operation == "reduce") {
        reduce(handle, mode, type, second_type, dimension, sizes);
        return 0;
    }
    Operand in(type, sizes, true);
    if (operation == "extreme") {
        Operand out(type, with(sizes, dimension, 1), false), indices("int64", with(sizes, dimension, 1), false);
        Reduce reduction;
        expect(reduction.SetMode(mode == "max" ? Reduce::Mode::MAX : Reduce::Mode::MIN));
        expect(reduction.SetDim({dimension}));
        expect(reduction.RunWithIndices(handle, out.tensor, indices.tensor, in.tensor));
        show({&out, &indices});
    } else if (operation == "cum") {
        Operand out(second_type, sizes, false);
        Cum running;
        expect(running.SetMode(mode == "cumsum" ? Cum::Mode::ADD : Cum::Mode::MUL));
        expect(running.SetDim(dimension));
        expect(running.Run(handle, out.tensor, in.tensor));
        show({&out});
    } else if (operation == "sort") {
        Operand out(type, sizes, false), indices("int64", sizes, false);
        Sort sort;
        expect(sort.SetDim(dimension));
        expect(sort.SetDescending(mode == "descending"));
        expect(sort.SetStable(true));
        expect(sort.Run(handle, out.tensor, indices.tensor, in.tensor));
        show({&out, &indices});
    } else if (operation == "by_key") {
        Operand values(second_type, sizes, true), keys_out(type, sizes, false), values_out(second_type, sizes, false);
        SortByKey sort;
        expect(sort.SetDim(dimension));
        expect(sort.SetDescending(mode == "descending"));
        expect(sort.Run(handle, keys_out.tensor, values_out.tensor, in.tensor, values.tensor));
        show({&keys_out, &values_out});
    } else if (operation == "topk") {
        Operand out(type, with(sizes, dimension, 2), false), indices("int32", with(sizes, dimension, 2), false);
        TopK top;
        expect(top.SetK(2));
        expect(top.SetDim(dimension));
        expect(top.SetLargest(mode == "largest"));
        expect(top.Run(handle, out.tensor, indices.tensor, in.tensor));
        show({&out, &indices});
    } else if (operation == "concat") {
        const int64_t length = sizes[static_cast<size_t>(dimension)];
        Operand more(type, with(sizes, dimension, 2), true), out(type, with(sizes, dimension, 2 * length + 2), false);
        const Tensor parts[] = {in.tensor, more.tensor, in.tensor};
        Concat concat;
        expect(concat.SetAxis(dimension));
        expect(concat.Run(handle, out.tensor, 3, parts));
        show({&out});
    } else if (operation == "permute") {
        const int64_t order[] = {2, 0, 1};
        Operand out(type, {sizes[2], sizes[0], sizes[1]}, false);
        Permute permute;
        expect(permute.ConfigDimStride(out.tensor, in.tensor, 3, order));
        expect(permute.Run(handle, out.tensor, in.tensor));
        show({&out});
    } else if (operation == "fill") {
        Operand mask("bool", sizes, true);
        Fill fill;
        expect(fill.SetValue(int64_t{7}));
        expect(fill.Run(handle, in.tensor, mask.tensor));
        show({&in});
    } else if (operation == "gather") {
        Operand indices(second_type, {2, 3}, true);
        Sizes result(sizes.begin(), sizes.begin() + dimension);
        result.insert(result.end(), {2, 3});
        result.insert(result.end(), sizes.begin() + dimension + 1, sizes.end());
        Operand out(type, result, false);
        GatherX gather;
        expect(gather.SetMode(GatherX::Mode::GATHER));
        expect(gather.SetAxis(dimension));
        expect(gather.SetBatchDims(0));
        expect(gather.Run(handle, out.tensor, indices.tensor, in.tensor));
        show({&out});
    } else if (operation == "norm") {
        const Sizes last(sizes.begin() + dimension, sizes.end()), first(sizes.begin(), sizes.begin() + dimension);
        Operand gamma(type, last, true), beta(type, last, true), out(type, sizes, false);
        Operand mean("float", first, false), scale("float", first, false);
        std::vector<int> axes;
        for (size_t i = static_cast<size_t>(dimension); i < sizes.size(); ++i) axes.push_back(static_cast<int>(i));
        if (mode == "layer") {
            LayerNorm norm;
            expect(norm.SetAxis(static_cast<int>(axes.size()), axes.data()));
            expect(norm.SetEpsilon(1e-3));
            expect(norm.SetVarMode(LayerNorm::VarMode::WELFORD));
            expect(norm.Run(handle, out.tensor, mean.tensor, scale.tensor, in.tensor, gamma.tensor, beta.tensor));
        } else {
            RMSNorm norm;
            expect(norm.SetAxis(static_cast<int>(axes.size()), axes.data()));
            expect(norm.SetEpsilon(1e-3));
            expect(norm.Run(handle, out.tensor, scale.tensor, in.tensor, gamma.tensor));
        }
        show({&out, &mean, &scale});
    } else if (operation == "ternary") {
        static const std::map<std::string, Ternary::Mode> modes = {
            {"where", Ternary::Mode::SELECT}, {"clamp", Ternary::Mode::CLAMP}, {"addcmul", Ternary::Mode::ADDCMUL_ALPHA},
            {"addcdiv", Ternary::Mode::ADDCDIV_ALPHA}};
        Operand second(second_type, sizes, true), third(second_type, {sizes.back()}, true), out(second_type, sizes, false);
        Ternary ternary;
        expect(ternary.SetMode(modes.at(mode)));
        expect(ternary.SetAlpha(0.5));
        expect(ternary.Run(handle, out.tensor, in.tensor, second.tensor, third.tensor));
        show({&out});
    } else {
        return 1;
    }
    return 0;
}
