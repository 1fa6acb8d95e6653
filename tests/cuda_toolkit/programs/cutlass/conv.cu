// CUTLASS's convolution as an implicit product, with ReLU, compared with sums in double.
#include <cutlass/cutlass.h>
#include <cutlass/conv/kernel/default_conv2d_fprop.h>
#include <cutlass/conv/device/implicit_gemm_convolution.h>
#include <cutlass/epilogue/thread/linear_combination_relu.h>

#include "compare.h"

namespace conv = cutlass::conv;
using cutlass::gemm::GemmShape;
using Half = cutlass::half_t;
using Layout = cutlass::layout::TensorNHWC;
using Relu = cutlass::epilogue::thread::LinearCombinationRelu<float, 4, float, float>;
using Fprop = conv::kernel::DefaultConv2dFprop<
    Half, Layout, Half, Layout, float, Layout, float, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80, GemmShape<64, 64, 32>,
    GemmShape<32, 32, 32>, GemmShape<16, 8, 16>, Relu, cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>, 3,
    cutlass::arch::OpMultiplyAdd, conv::IteratorAlgorithm::kOptimized>::Kernel;
using Convolution = conv::device::ImplicitGemmConvolution<Fprop>;

int main() {
    const int images = 2, height = 9, width = 7, channels = 32, filters = 24;
    const conv::Conv2dProblemSize size({images, height, width, channels}, {filters, 3, 3, channels}, {1, 1, 1, 1}, {1, 1}, {1, 1},
                                       conv::Mode::kCrossCorrelation, 1);
    Numbers<Half> x(images * height * width * channels), weights(filters * 9 * channels);
    Numbers<float> y(images * height * width * filters);
    const cutlass::TensorRef<Half, Layout> input(x.device, Layout::packed({images, height, width, channels}));
    const cutlass::TensorRef<Half, Layout> filter(weights.device, Layout::packed({filters, 3, 3, channels}));
    const cutlass::TensorRef<float, Layout> output(y.device, Layout::packed({images, height, width, filters}));
    Convolution convolution;
    const Convolution::Arguments arguments{size, input, filter, output, output, {1.0f, 0.0f}};
    cutlass::Status status = convolution.initialize(arguments, nullptr);
    if (status == cutlass::Status::kSuccess) status = convolution();
    if (status != cutlass::Status::kSuccess) std::printf("%s\n", cutlassGetStatusString(status));
    return compare(y, 1e-4, [&](int at) {
        const int k = at % filters, column = at / filters % width, row = at / filters / width % height;
        const int image = at / filters / width / height;
        double sum = 0;
        for (int tap = 0; tap < 9; ++tap) {
            const int h = row + tap / 3 - 1, w = column + tap % 3 - 1;
            if (h < 0 || h >= height || w < 0 || w >= width) continue;
            for (int c = 0; c < channels; ++c)
                sum += number(x.host[((image * height + h) * width + w) * channels + c]) *
                       number(weights.host[(k * 9 + tap) * channels + c]);
        }
        return sum < 0 ? 0 : sum;
    });
}
