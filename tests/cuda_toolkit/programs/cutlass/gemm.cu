// CUTLASS's products on random numbers, compared with sums in double. KIND chooses one.
#include <cutlass/cutlass.h>
#include <cutlass/epilogue/thread/linear_combination_relu.h>
#include <cutlass/gemm/device/gemm.h>
#include <cutlass/gemm/device/gemm_splitk_parallel.h>

#include "compare.h"

using namespace cutlass;
using Row = layout::RowMajor;
using Column = layout::ColumnMajor;
using Swizzle = gemm::threadblock::GemmIdentityThreadblockSwizzle<>;
template <int m, int n, int k>
using Shape = gemm::GemmShape<m, n, k>;
template <class Sum, int count>
using Linear = epilogue::thread::LinearCombination<Sum, count, Sum, Sum>;
template <class A, class B, class Order, class C, class Sum, class Class, class Arch, int k, class Instruction, class Epilogue, int stages>
using Product = gemm::device::Gemm<A, Row, B, Order, C, Row, Sum, Class, Arch, Shape<64, 64, k>, Shape<32, 32, k>, Instruction,
                                   Epilogue, Swizzle, stages>;
using TensorOp = arch::OpClassTensorOp;

// d = alpha a b + beta c, with each element of the result within `bound` of the sum in double.
template <class Gemm, class A, class B, class C, class Sum>
int check(int k, double bound, bool is_relu = false, int slices = 1) {
    const int m = 96, n = 72;
    constexpr bool is_integer = std::is_same<Sum, int>::value;
    constexpr bool by_columns = std::is_same<typename Gemm::LayoutB, Column>::value;
    const double alpha = is_integer ? 2 : 1.5, beta = is_integer ? 1 : 0.5;
    Numbers<A> a(m * k, is_integer);
    Numbers<B> b(k * n, is_integer);
    Numbers<C> c(m * n, is_integer), d(m * n, is_integer);
    typename Gemm::Arguments arguments({m, n, k}, {a.device, k}, {b.device, by_columns ? k : n}, {c.device, n}, {d.device, n},
                                       {Sum(alpha), Sum(beta)}, slices);
    void* workspace = nullptr;
    cudaMalloc(&workspace, Gemm::get_workspace_size(arguments) + 16);
    Gemm gemm;
    const Status status = gemm(arguments, workspace);
    if (status != Status::kSuccess) std::printf("%s\n", cutlassGetStatusString(status));
    return compare(d, bound, [&](int at) {
        const int row = at / n, column = at % n;
        double sum = 0;
        for (int i = 0; i < k; ++i)
            sum += number(a.host[row * k + i]) * number(b.host[by_columns ? column * k + i : i * n + column]);
        sum = alpha * sum + beta * number(c.host[at]);
        return is_relu && sum < 0 ? 0 : sum;
    });
}

int main() {
#if KIND == 0  // no tensor core
    using Gemm = gemm::device::Gemm<float, Row, float, Row, float, Row>;
    return check<Gemm, float, float, float, float>(33, 1e-4);
#elif KIND == 1
    using Gemm = Product<half_t, half_t, Column, float, float, TensorOp, arch::Sm80, 32, Shape<16, 8, 16>, Linear<float, 4>, 3>;
    return check<Gemm, half_t, half_t, float, float>(80, 1e-4);
#elif KIND == 2
    using Gemm =
        Product<bfloat16_t, bfloat16_t, Column, float, float, TensorOp, arch::Sm80, 32, Shape<16, 8, 16>, Linear<float, 4>, 4>;
    return check<Gemm, bfloat16_t, bfloat16_t, float, float>(80, 1e-4);
#elif KIND == 3
    using Gemm =
        Product<tfloat32_t, tfloat32_t, Column, float, float, TensorOp, arch::Sm80, 16, Shape<16, 8, 8>, Linear<float, 4>, 3>;
    return check<Gemm, tfloat32_t, tfloat32_t, float, float>(80, 1e-4);
#elif KIND == 4
    using Gemm = Product<double, double, Column, double, double, TensorOp, arch::Sm80, 16, Shape<8, 8, 4>, Linear<double, 1>, 3>;
    return check<Gemm, double, double, double, double>(80, 1e-11);
#elif KIND == 5
    using Gemm = Product<int8_t, int8_t, Column, int, int, TensorOp, arch::Sm80, 64, Shape<16, 8, 32>, Linear<int, 4>, 3>;
    return check<Gemm, int8_t, int8_t, int, int>(96, 0);
#elif KIND == 6  // accumulators of half precision, and an epilogue
    using Relu = epilogue::thread::LinearCombinationRelu<half_t, 8, half_t, half_t>;
    using Gemm = Product<half_t, half_t, Column, half_t, half_t, TensorOp, arch::Sm75, 32, Shape<16, 8, 8>, Relu, 2>;
    return check<Gemm, half_t, half_t, half_t, half_t>(80, 0.1, true);
#elif KIND == 7
    using Gemm = gemm::device::GemmSplitKParallel<half_t, Row, half_t, Column, float, Row, float, TensorOp, arch::Sm80,
                                                  Shape<64, 64, 32>, Shape<32, 32, 32>, Shape<16, 8, 16>>;
    return check<Gemm, half_t, half_t, float, float>(256, 1e-4, false, 4);
#elif KIND == 8
    using Gemm = Product<half_t, half_t, Row, float, float, TensorOp, arch::Sm70, 32, Shape<8, 8, 4>, Linear<float, 4>, 2>;
    return check<Gemm, half_t, half_t, float, float>(80, 1e-4);
#elif KIND == 9
    using Gemm = Product<half_t, half_t, Column, float, float, arch::OpClassWmmaTensorOp, arch::Sm70, 32, Shape<16, 16, 16>,
                         Linear<float, 4>, 2>;
    return check<Gemm, half_t, half_t, float, float>(80, 1e-4);
#endif
}
