// muDNN's convolutions, batches of products and softmax backward on made-up numbers, which the test makes up, too:
// OPERATION TYPE SIZE... ; the result is printed.
#include <mudnn.h>
#include <musa_bf16.h>
#include <musa_fp16.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace musa::dnn;

namespace {

using Sizes = std::vector<int64_t>;

int64_t count(const Sizes& sizes) {
    int64_t all = 1;
    for (int64_t size : sizes) all *= size;
    return all;
}

// Numbers that every type has: n is the tensor's.
double number(int n, int64_t i) {
    return static_cast<double>((i * 37 + n * 11) % 23 - 11) / 8;
}

struct Operand {
    Operand(const std::string& type, const Sizes& sizes, int n) : kind(type), sizes(sizes) {
        musaMallocManaged(&memory, static_cast<size_t>(count(sizes)) * 4);
        for (int64_t i = 0; i < count(sizes); ++i) {
            const auto value = static_cast<float>(number(n, i));
            if (kind == "half") static_cast<__half*>(memory)[i] = __float2half_rn(value);
            else if (kind == "bfloat16") static_cast<__mt_bfloat16*>(memory)[i] = __float2bfloat16_rn(value);
            else static_cast<float*>(memory)[i] = value;
        }
        tensor.SetType(kind == "half" ? Tensor::Type::HALF : kind == "bfloat16" ? Tensor::Type::BFLOAT16 : Tensor::Type::FLOAT);
        tensor.SetAddr(memory);
        tensor.SetNdInfo(static_cast<int64_t>(sizes.size()), sizes.data());
    }

    void show() const {
        for (int64_t i = 0; i < count(sizes); ++i) {
            const float value = kind == "half"       ? __half2float(static_cast<__half*>(memory)[i])
                                : kind == "bfloat16" ? __bfloat162float(static_cast<__mt_bfloat16*>(memory)[i])
                                                     : static_cast<float*>(memory)[i];
            std::printf("%.9g ", value);
        }
    }

    std::string kind;
    Sizes sizes;
    void* memory = nullptr;
    Tensor tensor;
};

Status convolve(Handle& handle, const std::string& operation, const std::string& type, const Sizes& s, Operand*& result) {
    // images, channels, outputs, groups, height, width, kernel, padding, stride, dilation
    const auto [n, c, k, g, h, w, f, p, t, d] =
        std::tuple(s[0], s[1], s[2], s[3], s[4], s[5], s[6], (int)s[7], (int)s[8], (int)s[9]);
    const auto windows = [&, f = f, p = p, t = t, d = d](int64_t size) { return (size + 2 * p - d * (f - 1) - 1) / t + 1; };
    auto* in = new Operand(type, {n, c, h, w}, 1);
    auto* filter = new Operand(type, {k, c / g, f, f}, 2);
    auto* out = new Operand(type, {n, k, windows(h), windows(w)}, 3);
    Convolution convolution;
    convolution.SetNdInfo({p, p}, {t, t}, {d, d});
    convolution.SetGroups(static_cast<int>(g));
    convolution.SetComputeMode(Convolution::ComputeMode::ALL);
    if (operation == "forward") {
        result = out;
        Convolution::Algorithm algorithm;
        convolution.GetRecommendForwardAlgorithm(handle, algorithm, out->tensor, in->tensor, filter->tensor);
        return convolution.Run(handle, out->tensor, in->tensor, filter->tensor, algorithm, nullptr);
    }
    if (operation == "data") {
        result = in;
        Convolution::AlgorithmBwdData algorithm;
        convolution.GetRecommendBackwardDataAlgorithm(handle, algorithm, in->tensor, out->tensor, filter->tensor);
        return convolution.RunBwdData(handle, in->tensor, out->tensor, filter->tensor, algorithm, nullptr);
    }
    result = filter;
    Convolution::AlgorithmBwdFilter algorithm;
    convolution.GetRecommendBackwardFilterAlgorithm(handle, algorithm, filter->tensor, in->tensor, out->tensor);
    return convolution.RunBwdFilter(handle, filter->tensor, in->tensor, out->tensor, algorithm, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string operation = argv[1], type = argv[2];
    Sizes sizes;
    for (int i = 3; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
    Handle handle(0);
    handle.SetStream(nullptr);
    Operand* result = nullptr;
    Status status = Status::SUCCESS;
    if (operation == "batches") {
        auto* left = new Operand(type, {sizes[0], sizes[1], sizes[2]}, 1);
        auto* right = new Operand(type, {sizes[0], sizes[3], sizes[2]}, 2);
        result = new Operand(type, {sizes[0], sizes[1], sizes[3]}, 3);
        BatchMatMul product;
        product.SetTranspose(false, true);
        product.SetAlpha(0.5);
        product.SetBeta(2);
        status = product.Run(handle, result->tensor, left->tensor, right->tensor);
    } else if (operation == "softmax" || operation == "log_softmax") {
        auto* in = new Operand(type, {sizes[0], sizes[1]}, 1);
        auto* gradient = new Operand(type, {sizes[0], sizes[1]}, 2);
        Softmax softmax;
        softmax.SetMode(operation == "softmax" ? Softmax::Mode::SOFTMAX : Softmax::Mode::LOGSOFTMAX);
        softmax.SetDim(static_cast<int>(sizes[2]));
        softmax.Run(handle, in->tensor, in->tensor);
        result = gradient;
        status = softmax.RunBwd(handle, gradient->tensor, in->tensor, gradient->tensor);
    } else {
        status = convolve(handle, operation, type, sizes, result);
    }
    musaDeviceSynchronize();
    std::printf("%d ", static_cast<int>(status));
    if (status == Status::SUCCESS) result->show();
    std::printf("\n");
}
