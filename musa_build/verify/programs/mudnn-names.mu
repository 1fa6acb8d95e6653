// libraries mudnn
// headers mudnn.h
// refuted by compile-error
// expect SUCCESS=0
// expect sum=11
// expect product=6
// expect convolution=2
// expect softmax=0.500000
#include <mudnn.h>

#include "probe.h"
using namespace musa::dnn;
Tensor of(const float* memory, std::initializer_list<int64_t> sizes) {
    Tensor made;
    if (made.SetType(Tensor::Type::FLOAT) != Status::SUCCESS || made.SetAddr(memory) != Status::SUCCESS ||
        made.SetFormat(Tensor::Format::NCHW) != Status::SUCCESS || made.SetNdInfo(sizes) != Status::SUCCESS)
        undecided("a description was refused");
    return made;
}
int main() {
    float* values = managed<float>(9);
    values[0] = 1, values[1] = 10, values[2] = 2, values[3] = 3, values[4] = values[5] = 1;
    Handle handle(0);
    handle.SetStream(nullptr);
    fact("SUCCESS", static_cast<long long>(Status::SUCCESS));
    Tensor out = of(values + 6, {1}), product = of(values + 7, {1, 1});
    Binary add;
    MatMul multiply;
    Softmax softmax;
    Tensor pair = of(values + 4, {1, 2});
    Convolution convolution;
    Convolution::Algorithm algorithm;
    Tensor image = of(values + 2, {1, 1, 1, 1}), filter = of(values + 4, {1, 1, 1, 1}), pixel = of(values + 8, {1, 1, 1, 1});
    if (convolution.SetNdInfo({0, 0}, {1, 1}, {1, 1}) != Status::SUCCESS ||
        convolution.SetComputeMode(Convolution::ComputeMode::ALL) != Status::SUCCESS ||
        convolution.SetGroups(1) != Status::SUCCESS ||
        convolution.GetRecommendForwardAlgorithm(handle, algorithm, pixel, image, filter) != Status::SUCCESS ||
        convolution.Run(handle, pixel, image, filter, algorithm, nullptr) != Status::SUCCESS)
        undecided("a convolution was refused");
    CHECK(musaDeviceSynchronize());
    fact("convolution", static_cast<long long>(values[8]));
    if (add.SetMode(Binary::Mode::ADD) != Status::SUCCESS ||
        add.Run(handle, out, of(values, {1}), of(values + 1, {1})) != Status::SUCCESS ||
        multiply.SetTranspose(false, false) != Status::SUCCESS || multiply.SetAlpha(1.0) != Status::SUCCESS ||
        multiply.Run(handle, product, of(values + 2, {1, 1}), of(values + 3, {1, 1})) != Status::SUCCESS ||
        softmax.SetMode(Softmax::Mode::SOFTMAX) != Status::SUCCESS || softmax.SetDim(1) != Status::SUCCESS ||
        softmax.SetAlgorithm(Softmax::Algorithm::ACCURATE) != Status::SUCCESS ||
        softmax.Run(handle, pair, pair) != Status::SUCCESS)
        undecided("an operation was refused");
    CHECK(musaDeviceSynchronize());
    fact("sum", static_cast<long long>(values[6]));
    fact("product", static_cast<long long>(values[7]));
    std::printf("softmax=%f\n", values[4]);
}
