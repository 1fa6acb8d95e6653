// wmma_words TYPE MODE M N K: products by fragments whose elements are less than a byte, of A, B and C on stdin.
#include "program.h"

#include <mma.h>

using namespace mtmusa::wmma;
using experimental::precision::b1;
using experimental::precision::s4;
using experimental::precision::u4;

template <class T, int k_of_tile>
__global__ void multiply(const unsigned* a, const unsigned* b, const int* c, int* d, int n, int k, int mode) {
    const int row = 8 * blockIdx.y, column = 8 * blockIdx.x, words_of_line = k * 4 / k_of_tile;
    fragment<accumulator, 8, 8, k_of_tile, int> sums;
    load_matrix_sync(sums, c + row * n + column, n, mem_row_major);
    for (int at = 0; at < k / k_of_tile; ++at) {
        fragment<matrix_a, 8, 8, k_of_tile, T, row_major> of_a;
        fragment<matrix_b, 8, 8, k_of_tile, T, col_major> of_b;
        load_matrix_sync(of_a, a + row * words_of_line + 4 * at, k);
        load_matrix_sync(of_b, b + column * words_of_line + 4 * at, k);
        if constexpr (k_of_tile == 128)
            bmma_sync(sums, of_a, of_b, sums, mode ? experimental::bmmaBitOpAND : experimental::bmmaBitOpXOR);
        else
            mma_sync(sums, of_a, of_b, sums, mode != 0);
    }
    store_matrix_sync(d + row * n + column, sums, n, mem_row_major);
}

int main(int, char** argv) {
    const std::string name = argv[1];
    const int mode = std::atoi(argv[2]), m = std::atoi(argv[3]), n = std::atoi(argv[4]), k = std::atoi(argv[5]);
    const int words = name == "b1" ? k / 32 : k / 8;
    DeviceArray<unsigned>&a = input<unsigned>(m * words), &b = input<unsigned>(n * words);
    DeviceArray<int>& c = input<int>(m * n);
    DeviceArray<int> d(m * n);
    const dim3 grid(n / 8, m / 8);
    if (name == "u4") multiply<u4, 32><<<grid, 32>>>(a, b, c, d, n, k, mode);
    if (name == "s4") multiply<s4, 32><<<grid, 32>>>(a, b, c, d, n, k, mode);
    if (name == "b1") multiply<b1, 128><<<grid, 32>>>(a, b, c, d, n, k, mode);
    check_kernel();
    d.write();
}
