// groups CASE threads: an int per thread on stdin, rows of results on stdout.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "program.h"

namespace cg = cooperative_groups;

struct Row {
    int* at;
    __device__ void add(long long value) { *at++ = static_cast<int>(value); }
};

// A type that is larger than a word and no number.
struct Affine {
    double scale;
    double offset;
};
struct Compose {
    __device__ Affine operator()(const Affine& first, const Affine& second) const {
        return {first.scale * second.scale, first.offset * second.scale + second.offset};
    }
};

template <class Tile>  // in CUDA, the type of a tile names the group that it is part of
__device__ void tile_row(const Tile& tile, int x, Row row) {
    row.add(tile.thread_rank());
    row.add(tile.meta_group_rank());
    row.add(tile.meta_group_size());
    row.add(tile.size());
    row.add(tile.shfl(x, 1));
    row.add(tile.shfl_down(x, 2));
    row.add(tile.shfl_up(x, 1));
    row.add(tile.shfl_xor(x, 1));
    row.add(tile.any(x == 7));
    row.add(tile.all(x < 500));
    row.add(tile.ballot(x & 1));
    row.add(tile.match_any(x & 3));
    row.add(cg::reduce(tile, x, cg::plus<int>()));
    row.add(cg::reduce(tile, x, cg::less<int>()));
    row.add(cg::reduce(tile, x, cg::greater<int>()));
    row.add(cg::reduce(tile, x, cg::bit_xor<int>()));
    row.add(cg::inclusive_scan(tile, x));
    row.add(cg::exclusive_scan(tile, x));
    const Affine affine = cg::reduce(tile, Affine{double(x % 2 + 1), double(x)}, Compose());
    row.add(static_cast<long long>(affine.offset) % 1000003);
    tile.sync();
}

template <unsigned Size>
__global__ void tiles(const int* x, int* out, int columns) {
    const cg::thread_block block = cg::this_thread_block();
    const int rank = block.thread_rank();
    tile_row(cg::tiled_partition<Size>(block), x[rank], {out + rank * columns});
}

// Tiles of several warps, each with other values in shared memory between its barriers
template <unsigned Size>
__global__ void large_tiles(const int* x, int* out, int columns) {
    __shared__ int passed[1024];
    __shared__ cg::block_tile_memory<1024> memory;
    const cg::thread_block block = cg::this_thread_block(memory);
    const int t = block.thread_rank();
    const auto tile = cg::tiled_partition<Size>(block);
    Row row{out + t * columns};
    row.add(tile.thread_rank());
    row.add(tile.meta_group_rank());
    row.add(tile.meta_group_size());
    row.add(tile.size());
    row.add(cg::reduce(tile, x[t], cg::plus<int>()));
    row.add(cg::reduce(tile, x[t], cg::less<int>()));
    const Affine affine = cg::reduce(tile, Affine{double(x[t] % 2), double(x[t])}, Compose());
    row.add(static_cast<long long>(affine.offset) % 1000003);
    row.add(tile.any(x[t] == 7));
    row.add(tile.all(x[t] < 899));
    row.add(tile.shfl(x[t], 40));
    for (int round = 0; round < tile.meta_group_rank(); ++round) tile.sync();
    passed[t] = x[t];
    cg::sync(tile);
    row.add(passed[t ^ 32]);
    row.add(cg::tiled_partition<32>(tile).meta_group_rank());
}

// Half of the warps, and of those only some threads: the others are not waited for.
__global__ void coalesced(const int* x, int* out, int columns) {
    const int t = cg::this_thread_block().thread_rank();
    if (t / 32 % 2 == 0 && x[t] % 3 != 0) {
        const cg::coalesced_group group = cg::coalesced_threads();
        Row row{out + t * columns};
        const int v = x[t];
        row.add(group.thread_rank());
        row.add(group.size());
        row.add(group.shfl(v, 1));
        row.add(group.shfl_down(v, 2));
        row.add(group.shfl_up(v, 1));
        row.add(group.ballot(v & 1));
        row.add(group.match_any(v & 3));
        int predicate = 0;
        row.add(group.match_all(v / 100000, predicate));
        row.add(predicate);
        row.add(cg::reduce(group, v, cg::plus<int>()));
        row.add(cg::inclusive_scan(group, v));

        const cg::coalesced_group odd = cg::binary_partition(group, v & 1);
        row.add(odd.thread_rank());
        row.add(odd.size());
        row.add(odd.meta_group_rank());
        row.add(cg::reduce(odd, v, cg::greater<int>()));

        const cg::coalesced_group label = cg::labeled_partition(group, v % 5);
        row.add(label.thread_rank());
        row.add(label.size());
        row.add(label.meta_group_rank());
        row.add(label.meta_group_size());
        row.add(label.shfl(v, 0));

        const cg::coalesced_group four = cg::tiled_partition(group, 4);
        row.add(four.thread_rank());
        row.add(four.size());
        row.add(cg::reduce(four, v, cg::plus<int>()));
    }
    __syncthreads();
}

// A tile of a tile, and groups whose size is known at run time only.
__global__ void nested(const int* x, int* out, int columns) {
    const cg::thread_block block = cg::this_thread_block();
    const int t = block.thread_rank();
    const auto sixteen = cg::tiled_partition<16>(block);
    const auto four = cg::tiled_partition<4>(sixteen);
    Row row{out + t * columns};
    row.add(four.meta_group_rank());
    row.add(four.meta_group_size());
    row.add(cg::reduce(four, x[t], cg::plus<int>()));
    cg::thread_group eight = cg::tiled_partition(block, 8);
    eight.sync();
    row.add(eight.thread_rank());
    row.add(eight.size());
    cg::thread_group whole = block;
    whole.sync();
    cg::sync(block);
    row.add(whole.thread_rank());
    row.add(whole.size());
    // Only one tile of the block continues: its barriers are its own.
    int only = 0;
    const auto tile = cg::tiled_partition<32>(block);
    if (tile.meta_group_rank() == 1) only = cg::reduce(tile, x[t], cg::plus<int>());
    row.add(only);
}

// Rounds of a sum over the whole grid, in which each needs what the other blocks wrote in the round before.
__global__ void rounds(const int* x, int* a, int* b, int n, int count) {
    __shared__ int from_block[256];
    const cg::grid_group grid = cg::this_grid();
    const int t = static_cast<int>(grid.thread_rank());
    const bool has_element = t < n;  // all threads come to the barriers
    for (int round = 0; round < count; ++round) {
        const int* in = round == 0 ? x : round % 2 ? a : b;
        int* out = round % 2 ? b : a;
        if (has_element) from_block[threadIdx.x] = in[(t + 1) % n];
        grid.sync();
        if (has_element) out[t] = from_block[threadIdx.x] + in[(t + n - 1) % n] % 7;
        grid.sync();
    }
}

template <class... Arguments>
musaError_t cooperative(const void* kernel, unsigned blocks, unsigned threads, Arguments... arguments) {
    void* pointers[] = {&arguments...};
    return musaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), pointers, 0, nullptr);
}

__global__ void fail_in_one_block(int* out) {
    if (blockIdx.x == 3) __trap();
    cg::this_grid().sync();
    out[blockIdx.x] = 1;
}

__global__ void divide(int size) { cg::tiled_partition(cg::coalesced_threads(), size).sync(); }

int refusals() {
    DeviceArray<int> out(64);
    int device = 0, multiprocessors = 0, per_multiprocessor = 0;
    CHECK(musaDeviceGetAttribute(&multiprocessors, musaDevAttrMultiProcessorCount, device));
    CHECK(musaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, fail_in_one_block, 1024, 0));
    int* data = out;
    const auto kernel = reinterpret_cast<const void*>(&fail_in_one_block);
    const unsigned most = static_cast<unsigned>(multiprocessors * per_multiprocessor);
    std::printf("too_large=%s\n", musaGetErrorName(cooperative(kernel, most + 1, 1024, data)));
    CHECK(cooperative(kernel, 8, 1, data));
    std::printf("one_fails=%s\n", musaGetErrorName(musaDeviceSynchronize()));
    CHECK(musaDeviceReset());
    DeviceArray<int> again(64);
    fail_in_one_block<<<1, 1>>>(again);
    std::printf("not_cooperative=%s\n", musaGetErrorName(musaDeviceSynchronize()));
    for (int size : {0, 3, 64}) {
        CHECK(musaDeviceReset());
        divide<<<1, 1>>>(size);
        std::printf("tiles_of_%d=%s\n", size, musaGetErrorName(musaDeviceSynchronize()));
    }
    return 0;
}

int main(int, char** argv) {
    const std::string which = argv[1];
    if (which == "refusals") return refusals();
    const int threads = std::atoi(argv[2]);
    const int columns = 23;
    auto& x = input<int>(threads);
    if (which == "rounds") {
        const int blocks = (threads + 255) / 256, count = 5;
        DeviceArray<int> a(threads), b(threads);
        const int *in = x;
        int *first = a, *second = b;
        CHECK(cooperative(reinterpret_cast<const void*>(&rounds), blocks, 256, in, first, second, threads, count));
        CHECK(musaDeviceSynchronize());
        a.write();
        return 0;
    }
    DeviceArray<int> out(threads * columns);
    const dim3 block(threads / 4, 2, 2);  // ranks count over three dimensions
    if (which == "tile32") tiles<32><<<1, block>>>(x, out, columns);
    if (which == "tile16") tiles<16><<<1, block>>>(x, out, columns);
    if (which == "tile4") tiles<4><<<1, block>>>(x, out, columns);
    if (which == "tile1") tiles<1><<<1, block>>>(x, out, columns);
    if (which == "large 64") large_tiles<64><<<1, block>>>(x, out, columns);
    if (which == "large 256") large_tiles<256><<<1, block>>>(x, out, columns);
    if (which == "coalesced") coalesced<<<1, block>>>(x, out, columns);
    if (which == "nested") nested<<<1, block>>>(x, out, columns);
    check_kernel();
    out.write();
}
