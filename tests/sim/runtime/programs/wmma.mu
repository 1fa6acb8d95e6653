// wmma CASE M N K: products by fragments of the matrices on stdin.
#include "program.h"

#include <mma.h>

namespace wmma = mtmusa::wmma;

namespace {

// C = A B, one warp for each tile of C.
template <int m, int n, int k, class Type, class T, class Sum, class LayoutA, class LayoutB>
__global__ void multiply(const T* a, const T* b, Sum* c, int rows, int columns, int depth, float scale) {
    constexpr bool a_rows = std::is_same<LayoutA, wmma::row_major>::value, b_rows = std::is_same<LayoutB, wmma::row_major>::value;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int row = warp / (columns / n) * m, column = warp % (columns / n) * n;
    if (row >= rows) return;
    wmma::fragment<wmma::matrix_a, m, n, k, Type, LayoutA> left;
    wmma::fragment<wmma::matrix_b, m, n, k, Type, LayoutB> right;
    wmma::fragment<wmma::accumulator, m, n, k, Sum> sums, before;
    wmma::fill_fragment(sums, Sum(0.0f));
    for (int i = 0; i < depth; i += k) {
        wmma::load_matrix_sync(left, a_rows ? a + row * depth + i : a + row + i * rows, a_rows ? depth : rows);
        wmma::load_matrix_sync(right, b_rows ? b + i * columns + column : b + i + column * depth, b_rows ? columns : depth);
        wmma::mma_sync(sums, left, right, sums);
    }
    wmma::load_matrix_sync(before, c + row * columns + column, columns, wmma::mem_row_major);
    using Wide = std::conditional_t<std::is_same<Sum, double>::value, double, float>;
    for (int i = 0; i < sums.num_elements; ++i) sums.x[i] = Sum(scale * Wide(sums.x[i]) + Wide(before.x[i]));
    wmma::store_matrix_sync(c + row * columns + column, sums, columns, wmma::mem_row_major);
}

template <int m, int n, class Type, class Sum, class LayoutA, class LayoutB, int k = 16, class T = Type>
void run(const std::vector<int>& sizes) {
    DeviceArray<T>& a = input<T>(sizes[0] * sizes[2]);
    DeviceArray<T>& b = input<T>(sizes[2] * sizes[1]);
    DeviceArray<Sum>& c = input<Sum>(sizes[0] * sizes[1]);
    const int warps = sizes[0] / m * (sizes[1] / n);
    multiply<m, n, k, Type, T, Sum, LayoutA, LayoutB><<<(warps + 3) / 4, 128>>>(a, b, c, sizes[0], sizes[1], sizes[2], 2.0f);
    check_kernel();
    c.write();
    delete &a, delete &b, delete &c;
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    std::vector<int> sizes;
    for (char** word = argv + 2; *word; ++word) sizes.push_back(std::atoi(*word));
    using wmma::col_major;
    using wmma::row_major;
    if (name == "half") run<16, 16, __half, float, row_major, row_major>(sizes);
    if (name == "half by columns") run<16, 16, __half, float, col_major, col_major>(sizes);
    if (name == "half in half") run<16, 16, __half, __half, row_major, col_major>(sizes);
    if (name == "bfloat16") run<16, 16, __mt_bfloat16, float, row_major, col_major>(sizes);
    if (name == "tall") run<32, 8, __half, float, row_major, col_major>(sizes);
    if (name == "wide") run<8, 32, __mt_bfloat16, float, col_major, row_major>(sizes);
    if (name == "char") run<16, 16, signed char, int, row_major, col_major>(sizes);
    if (name == "unsigned char") run<32, 8, unsigned char, int, col_major, row_major>(sizes);
    if (name == "tf32") run<16, 16, wmma::precision::tf32, float, row_major, col_major, 8, float>(sizes);
    if (name == "double") run<8, 8, double, double, row_major, row_major, 4>(sizes);
}
