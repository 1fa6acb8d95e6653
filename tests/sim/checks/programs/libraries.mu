// libraries CASE: one defect each in the use of a library, of arrays or of memory pools, marked by a comment BUG:case at
// its line where a kernel has it; `good_` twins have none.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cub/cub.cuh>
#include <musparse.h>
#include <musolver.h>
#include <thrust/device_ptr.h>
#include <thrust/functional.h>
#include <thrust/system_error.h>
#include <thrust/transform.h>

#include "program.h"

namespace cg = cooperative_groups;
constexpr int block = 64;

// --- arrays

__global__ void surface_outside(musaSurfaceObject_t to, int at) {
    surf2Dwrite(1.0f, to, (threadIdx.x + at) * 4, 0);  // BUG:surface_outside
}
__global__ void good_surface(musaSurfaceObject_t to, int at) {
    surf2Dwrite(1.0f, to, (threadIdx.x + at) * 4, 0, musaBoundaryModeZero);
}
__global__ void texture_freed(musaTextureObject_t from, float* out) {
    out[threadIdx.x] = tex1Dfetch<float>(from, threadIdx.x);  // BUG:texture_freed
}
__global__ void good_texture(musaTextureObject_t from, float* out) {
    out[threadIdx.x] = tex1Dfetch<float>(from, threadIdx.x);
}

// --- memory pools

__global__ void past_pool(float* out, int n) { out[threadIdx.x + n] = 1; }  // BUG:past_pool
__global__ void pool_freed(float* out) { out[threadIdx.x] = 1; }            // BUG:pool_freed
__global__ void pool_unwritten(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x] + 1;  // BUG:pool_unwritten
}
__global__ void good_pool(float* out) { out[threadIdx.x] = 1; }

// --- copies by a group

template <bool waits>
__device__ void copy_and_turn(const float* in, float* out, float* tile) {
    const auto group = cg::this_thread_block();
    cg::memcpy_async(group, tile, in, sizeof(float) * block);
    if (waits) cg::wait(group);
    out[threadIdx.x] = tile[block - 1 - threadIdx.x];  // BUG:copy_not_waited
}
__global__ void copy_not_waited(const float* in, float* out) {
    __shared__ float tile[block];
    copy_and_turn<false>(in, out, tile);
}
__global__ void good_copy(const float* in, float* out) {
    __shared__ float tile[block];
    copy_and_turn<true>(in, out, tile);
}

// --- cub

template <bool waits>
__device__ void sum_and_scan(const int* in, int* out) {
    using Reduce = cub::BlockReduce<int, block>;
    using Scan = cub::BlockScan<int, block>;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
    } memory;
    const int sum = Reduce(memory.reduce).Sum(in[threadIdx.x]);
    if (waits) __syncthreads();
    int scanned = 0;
    Scan(memory.scan).InclusiveSum(in[threadIdx.x], scanned);
    out[threadIdx.x] = scanned + sum;
}
__global__ void storage_used_again(const int* in, int* out) { sum_and_scan<false>(in, out); }
__global__ void good_storage(const int* in, int* out) { sum_and_scan<true>(in, out); }

template <bool waits>
__device__ void count_bins(const int* in, int* out) {
    using Histogram = cub::BlockHistogram<unsigned char, block, 1, 16>;
    __shared__ typename Histogram::TempStorage memory;
    __shared__ int bins[16];
    unsigned char items[1] = {static_cast<unsigned char>((in[threadIdx.x] + threadIdx.x) % 16)};
    Histogram(memory).Histogram(items, bins);
    if (waits) __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];  // BUG:histogram_read_early
}
__global__ void histogram_read_early(const int* in, int* out) { count_bins<false>(in, out); }
__global__ void good_histogram(const int* in, int* out) { count_bins<true>(in, out); }

__global__ void good_discontinuity(const int* in, int* out) {
    using Flags = cub::BlockDiscontinuity<int, block>;
    __shared__ typename Flags::TempStorage memory;
    int items[1] = {in[threadIdx.x]}, heads[1];
    Flags(memory).FlagHeads(heads, items, cub::Inequality());
    out[threadIdx.x] = heads[0];
}

void sparse_product(int rows, int beyond) {
    DeviceArray<int> offsets(rows + 1), columns(rows);
    DeviceArray<float> values(rows), x(rows), y(rows);
    std::vector<int> first(rows + 1), second(rows);
    for (int i = 0; i < rows; ++i) first[i + 1] = i + 1, second[i] = i;
    second[rows - 1] += beyond;
    CHECK(musaMemcpy(offsets, first.data(), first.size() * sizeof(int), musaMemcpyHostToDevice));
    CHECK(musaMemcpy(columns, second.data(), second.size() * sizeof(int), musaMemcpyHostToDevice));
    musparseHandle_t handle;
    musparseSpMatDescr_t a;
    musparseDnVecDescr_t b, c;
    musparseCreate(&handle);
    musparseCreateCsr(&a, rows, rows, rows, offsets, columns, values, MUSPARSE_INDEX_32I, MUSPARSE_INDEX_32I,
                      MUSPARSE_INDEX_BASE_ZERO, MUSA_R_32F);
    musparseCreateDnVec(&b, rows, x, MUSA_R_32F);
    musparseCreateDnVec(&c, rows, y, MUSA_R_32F);
    const float one = 1, zero = 0;
    musparseSpMV(handle, MUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, b, &zero, c, MUSA_R_32F, MUSPARSE_SPMV_ALG_DEFAULT,
                 nullptr);
    std::printf("%s\n", musaGetErrorName(musaDeviceSynchronize()));
    musparseDestroyDnVec(b), musparseDestroyDnVec(c), musparseDestroySpMat(a), musparseDestroy(handle);
}

void factorisation(int order, int held) {
    DeviceArray<float> a(held * order), work(10000);
    DeviceArray<int> pivots(order), info(1);
    musolverDnHandle_t handle;
    musolverDnCreate(&handle);
    musolverDnSgetrf(handle, order, order, a, order, work, pivots, info);
    std::printf("%s\n", musaGetErrorName(musaDeviceSynchronize()));
    musolverDnDestroy(handle);
}

void thrust_range(int from, int to) {
    DeviceArray<float> x(from), y(to);
    const auto first = thrust::device_pointer_cast(x.operator float*());
    try {
        thrust::transform(first, first + from, thrust::device_pointer_cast(y.operator float*()), thrust::negate<float>());
    } catch (const thrust::system_error&) {
        // The device says which error it was.
    }
    std::printf("%s\n", musaGetErrorName(musaDeviceSynchronize()));
}

musaTextureObject_t texture_of(float* memory) {
    musaResourceDesc resource{};
    resource.resType = musaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = musaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = block * sizeof(float);
    musaTextureDesc how{};
    how.readMode = musaReadModeElementType;
    musaTextureObject_t texture = 0;
    CHECK(musaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

int main(int, char** argv) {
    const std::string name = argv[1];
    const auto is = [&](const char* other) { return name == other; };
    if (is("sparse_index")) return sparse_product(16, 200), 0;  // in the inaccessible page after the vector
    if (is("sparse_far")) return sparse_product(16, 1 << 29), 0;  // 2 GiB away, where nothing is mapped
    if (is("good_sparse")) return sparse_product(16, 0), 0;
    if (is("small_matrix")) return factorisation(64, 3), 0;
    if (is("good_matrix")) return factorisation(64, 64), 0;
    if (is("range_too_long")) return thrust_range(5000, 500), 0;
    if (is("good_range")) return thrust_range(5000, 5000), 0;
    DeviceArray<float> floats(block), others(block);
    DeviceArray<int> ints(block), numbers(block);
    if (is("surface_outside") || is("good_surface")) {
        const musaChannelFormatDesc desc = musaCreateChannelDesc<float>();
        musaArray_t array;
        CHECK(musaMalloc3DArray(&array, &desc, make_musaExtent(block, 2, 0), musaArraySurfaceLoadStore));
        musaResourceDesc resource{};
        resource.resType = musaResourceTypeArray;
        resource.res.array.array = array;
        musaSurfaceObject_t surface = 0;
        CHECK(musaCreateSurfaceObject(&surface, &resource));
        if (is("good_surface")) good_surface<<<1, block>>>(surface, 1);
        else surface_outside<<<1, block>>>(surface, 1);
        std::printf("%s\n", musaGetErrorName(musaDeviceSynchronize()));
        musaDestroySurfaceObject(surface), musaFreeArray(array);
        return 0;
    }
    if (is("texture_freed") || is("good_texture")) {
        float* memory = nullptr;
        CHECK(musaMalloc(&memory, block * sizeof(float)));
        CHECK(musaMemset(memory, 0, block * sizeof(float)));
        const musaTextureObject_t texture = texture_of(memory);
        if (is("texture_freed")) CHECK(musaFree(memory));
        if (is("texture_freed")) texture_freed<<<1, block>>>(texture, floats);
        else good_texture<<<1, block>>>(texture, floats);
        std::printf("%s\n", musaGetErrorName(musaDeviceSynchronize()));
        musaDestroyTextureObject(texture);
        if (is("good_texture")) CHECK(musaFree(memory));
        return 0;
    }
    if (name.find("pool") != std::string::npos) {
        musaMemPool_t pool = nullptr;
        CHECK(musaDeviceGetDefaultMemPool(&pool, 0));
        float* memory = nullptr;
        CHECK(musaMallocFromPoolAsync(reinterpret_cast<void**>(&memory), block * sizeof(float), pool, nullptr));
        if (is("past_pool")) past_pool<<<1, block>>>(memory, 1);
        if (is("pool_unwritten")) pool_unwritten<<<1, block>>>(memory, floats);
        if (is("good_pool")) good_pool<<<1, block>>>(memory);
        if (!is("pool_leak")) musaFreeAsync(memory, nullptr);  // the kernel may have failed already
        if (is("pool_freed")) pool_freed<<<1, block>>>(memory);
    }
#define RUN(kernel, ...) \
    if (is(#kernel)) kernel<<<2, block>>>(__VA_ARGS__)
    RUN(copy_not_waited, floats, others);
    RUN(good_copy, floats, others);
    RUN(storage_used_again, ints, numbers);
    RUN(good_storage, ints, numbers);
    RUN(histogram_read_early, ints, numbers);
    RUN(good_histogram, ints, numbers);
    RUN(good_discontinuity, ints, numbers);
    std::printf("%s\n", musaGetErrorName(musaDeviceSynchronize()));
}
