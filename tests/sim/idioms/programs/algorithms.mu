// The kernels of every tutorial.
#include "idiom.h"

template <int Tile, int Rows>
__global__ void __launch_bounds__(Tile * Rows) transpose(const float *in, float *out, int width, int height) {
    __shared__ float tile[Tile][Tile + 1];
    int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
    for (int j = 0; j < Tile; j += Rows) {
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * Tile + threadIdx.x, y = blockIdx.x * Tile + threadIdx.y;
    for (int j = 0; j < Tile; j += Rows) {
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

IDIOM(transpose_with_padded_tiles) {
    const int width = 50, height = 37;
    Array<float> in(width * height), out(width * height);
    input("image", in.fill(-1, 1));
    transpose<16, 4><<<dim3(4, 3), dim3(16, 4)>>>(in, out, width, height);
    output("out", out);
}

__global__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float as[2][8][8], bs[2][8][8];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, column = blockIdx.x * 8 + tx;
    float sum = 0;
    as[0][ty][tx] = a[row * n + tx];
    bs[0][ty][tx] = b[ty * n + column];
    for (int k = 0, buffer = 0; k < n; k += 8, buffer ^= 1) {
        __syncthreads();
        if (k + 8 < n) {
            as[buffer ^ 1][ty][tx] = a[row * n + k + 8 + tx];
            bs[buffer ^ 1][ty][tx] = b[(k + 8 + ty) * n + column];
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) sum += as[buffer][ty][i] * bs[buffer][i][tx];
    }
    c[row * n + column] = sum;
}

IDIOM(matrix_product_with_two_buffers) {
    const int n = 32;
    Array<float> a(n * n), b(n * n), c(n * n);
    input("a", a.fill(-1, 1));
    input("b", b.fill(-1, 1));
    multiply<<<dim3(4, 4), dim3(8, 8)>>>(a, b, c, n);
    output("c", c);
}

__global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
    __syncthreads();
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&own[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        if (own[i]) atomicAdd(&bins[i], own[i]);
    }
}

IDIOM(histogram_per_block) {
    const int n = 3000;
    Array<unsigned char> in(n);
    Array<unsigned> bins(256);
    input("values", in.fill(256));
    histogram<<<3, 96>>>(in, bins, n);
    output("bins", bins);
}

__global__ void bitonic(int *keys) {
    extern __shared__ int shared[];
    const unsigned t = threadIdx.x;
    shared[t] = keys[t];
    __syncthreads();
    for (unsigned size = 2; size <= blockDim.x; size <<= 1) {
        for (unsigned stride = size >> 1; stride > 0; stride >>= 1) {
            const unsigned other = t ^ stride;
            if (other > t) {
                const bool up = (t & size) == 0;
                if ((shared[t] > shared[other]) == up) {
                    const int swapped = shared[t];
                    shared[t] = shared[other];
                    shared[other] = swapped;
                }
            }
            __syncthreads();
        }
    }
    keys[t] = shared[t];
}

IDIOM(bitonic_sort) {
    Array<int> keys(256);
    input("keys", keys.fill(500));
    bitonic<<<1, 256, 256 * sizeof(int)>>>(keys);
    output("keys", keys);
}

// Blelloch's scan, with the tail of the array padded.
__global__ void blelloch(const int *in, int *out, int n) {
    __shared__ int tree[128];
    const int t = threadIdx.x;
    tree[2 * t] = 2 * t < n ? in[2 * t] : 0;
    tree[2 * t + 1] = 2 * t + 1 < n ? in[2 * t + 1] : 0;
    int offset = 1;
    for (int d = 64; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) tree[127] = 0;
    for (int d = 1; d < 128; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1, value = tree[left];
            tree[left] = tree[right];
            tree[right] += value;
        }
    }
    __syncthreads();
    if (2 * t < n) out[2 * t] = tree[2 * t];
    if (2 * t + 1 < n) out[2 * t + 1] = tree[2 * t + 1];
}

IDIOM(block_scan) {
    const int n = 101;
    Array<int> in(n), out(n);
    input("values", in.fill(100));
    blelloch<<<1, 64>>>(in, out, n);
    output("out", out);
}

// The reduction of the CUDA samples: a template over the block size, the last warp by hand.
template <unsigned Size>
__device__ void last_warp(volatile int *s, unsigned t) {
    int value = s[t];
#define STEP(d)                                                       \
    if (Size >= 2 * d) {                                              \
        value += s[t + d];                                            \
        __syncwarp();                                                 \
        s[t] = value;                                                 \
        __syncwarp();                                                 \
    }
    STEP(32) STEP(16) STEP(8) STEP(4) STEP(2) STEP(1)
#undef STEP
}
template <unsigned Size>
__global__ void reduce(const int *in, int *out, unsigned n) {
    __shared__ int s[Size + 32];
    const unsigned t = threadIdx.x;
    int sum = 0;
    for (unsigned i = blockIdx.x * (Size * 2) + t; i < n; i += Size * 2 * gridDim.x) {
        sum += in[i];
        if (i + Size < n) sum += in[i + Size];
    }
    s[t] = sum;
    __syncthreads();
    if (Size >= 256) {
        if (t < 128) s[t] += s[t + 128];
        __syncthreads();
    }
    if (Size >= 128) {
        if (t < 64) s[t] += s[t + 64];
        __syncthreads();
    }
    if (t < 32) last_warp<Size>(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

IDIOM(reduction_with_an_unrolled_last_warp) {
    const int n = 2500;
    Array<int> in(n), out(3);
    input("values", in.fill(1000));
    reduce<256><<<3, 256>>>(in, out, n);
    output("sums", out);
}

// Interpolation between grid points without a texture, clamped at the border.
__device__ __forceinline__ float at(const float *image, int x, int y, int width, int height) {
    x = max(0, min(x, width - 1)), y = max(0, min(y, height - 1));
    return image[y * width + x];
}
__global__ void sample(const float *image, const float2 *where, float *out, int width, int height, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = where[i].x, y = where[i].y;
    const int x0 = (int)floorf(x), y0 = (int)floorf(y);
    const float u = x - x0, v = y - y0;
    const float top = at(image, x0, y0, width, height) * (1 - u) + at(image, x0 + 1, y0, width, height) * u;
    const float bottom = at(image, x0, y0 + 1, width, height) * (1 - u) + at(image, x0 + 1, y0 + 1, width, height) * u;
    out[i] = top * (1 - v) + bottom * v;
}

IDIOM(bilinear_interpolation) {
    const int width = 16, height = 12, n = 200;
    Array<float> image(width * height), where(2 * n), out(n);
    input("image", image.fill(-1, 1));
    input("where", where.fill(-2, 18));
    sample<<<2, 128>>>(image, reinterpret_cast<float2 *>(where.data()), out, width, height, n);
    output("out", out);
}

// A stencil that keeps its halo in shared memory.
__global__ void stencil(const int *in, int *out, int n) {
    constexpr int radius = 3;
    __shared__ int tile[64 + 2 * radius];
    const int global = threadIdx.x + blockIdx.x * blockDim.x, local = threadIdx.x + radius;
    tile[local] = global < n ? in[global] : 0;
    if (threadIdx.x < radius) {
        tile[local - radius] = global >= radius ? in[global - radius] : 0;
        tile[local + blockDim.x] = global + blockDim.x < n ? in[global + blockDim.x] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int offset = -radius; offset <= radius; ++offset) sum += tile[local + offset];
    if (global < n) out[global] = sum;
}

IDIOM(stencil_with_a_halo) {
    const int n = 150;
    Array<int> in(n), out(n);
    input("values", in.fill(100));
    stencil<<<3, 64>>>(in, out, n);
    output("out", out);
}

// A hash table with linear probing, built by all threads at once.
__global__ void insert_all(const unsigned *keys, unsigned *table, unsigned size, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned slot = keys[i] * 2654435761u % size;
        while (true) {
            const unsigned before = atomicCAS(&table[slot], 0u, keys[i]);
            if (before == 0 || before == keys[i]) break;
            slot = (slot + 1) % size;
        }
    }
}

IDIOM(hash_table_with_linear_probing) {
    const int n = 300, size = 512;
    Array<unsigned> keys(n), table(size);
    keys.fill(400);
    for (int i = 0; i < n; ++i) ++keys[i];  // 0 is an empty slot
    input("keys", keys);
    insert_all<<<2, 64>>>(keys, table, size, n);
    output("table", table);
}
