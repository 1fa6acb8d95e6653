// muDNN: sums, products and softmax of small tensors; the results are printed.
#include <mudnn.h>

#include <cstdio>

using namespace musa::dnn;

namespace {

template <class T>
T* managed(std::initializer_list<T> values) {
    void* memory = nullptr;
    musaMallocManaged(&memory, values.size() * sizeof(T));
    T* at = static_cast<T*>(memory);
    for (T value : values) *at++ = value;
    return static_cast<T*>(memory);
}

Tensor tensor(Tensor::Type type, const void* memory, std::initializer_list<int64_t> sizes) {
    Tensor made;
    made.SetType(type);
    made.SetAddr(memory);
    made.SetNdInfo(sizes);
    return made;
}

void show(const char* what, Status status, const float* values, int count) {
    musaDeviceSynchronize();
    std::printf("%s %d", what, static_cast<int>(status));
    for (int i = 0; i < count; ++i) std::printf(" %g", values[i]);
    std::printf("\n");
}

}  // namespace

int main() {
    musaStream_t stream;
    musaStreamCreate(&stream);
    Handle handle(0);
    handle.SetStream(stream);
    constexpr auto FLOAT = Tensor::Type::FLOAT;
    float* a = managed<float>({1, 2, 3, 4, 5, 6});
    float* b = managed<float>({10, 20, 30});
    float* c = managed<float>({0, 0, 0, 0, 0, 0, 0, 0, 0});
    Tensor matrix = tensor(FLOAT, a, {2, 3}), row = tensor(FLOAT, b, {3}), out = tensor(FLOAT, c, {2, 3});

    Binary add;
    add.SetMode(Binary::Mode::ADD);
    show("add", add.Run(handle, out, matrix, row), c, 6);

    Unary clip;
    clip.SetMode(Unary::Mode::CLIP);
    clip.SetAlpha(2.0);
    clip.SetBeta(int64_t{4});
    show("clip", clip.Run(handle, out, matrix), c, 6);

    Tensor transposed;
    transposed.SetType(FLOAT);
    transposed.SetAddr(a);
    transposed.SetNdInfo({3, 2}, {1, 3});
    Tensor square = tensor(FLOAT, c, {2, 2});
    MatMul product;
    product.SetComputeMode(MatMul::ComputeMode::ALL);
    product.SetTranspose(false, false);
    product.SetAlpha(0.5);
    show("matmul", product.Run(handle, square, matrix, transposed), c, 4);
    product.SetTranspose(false, true);
    product.SetBeta(1.0);
    show("matmul", product.Run(handle, square, matrix, matrix), c, 4);

    Softmax softmax;
    softmax.SetDim(-1);
    softmax.SetAlgorithm(Softmax::Algorithm::ACCURATE);
    show("softmax", softmax.Run(handle, out, matrix), c, 6);
    softmax.SetMode(Softmax::Mode::LOGSOFTMAX);
    softmax.SetDim(0);
    show("log_softmax", softmax.Run(handle, out, matrix), c, 6);

    Tensor wide = tensor(Tensor::Type::INT64, a, {3});
    show("refused", add.Run(handle, out, wide, row), c, 0);
    show("refused", add.Run(handle, square, matrix, row), c, 0);
}
