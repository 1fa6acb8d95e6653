// headers mma.h
// refuted by compile-error
// expect sum=16
// expect lanes=32
#include <mma.h>

#include "probe.h"
using namespace mtmusa;
__global__ void multiply(float* out, int* lanes) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(a, __float2half(1.0f));
    wmma::fill_fragment(b, __float2half(1.0f));
    wmma::fill_fragment(c, 0.0f);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
    *lanes = 16 * 16 / c.num_elements;
}
int main() {
    float* out = managed<float>(256);
    int* lanes = managed<int>(1);
    multiply<<<1, 32>>>(out, lanes);
    CHECK(ended());
    fact("sum", static_cast<long long>(out[255]));
    fact("lanes", *lanes);
}
