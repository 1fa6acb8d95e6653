// planted CASE: one defect each, marked by a comment BUG:case at its line; `good_` twins have none.
#include <cooperative_groups.h>
#include <musa_fp16.h>

#include "program.h"

constexpr int block = 64;

__device__ int table[8];
__device__ int neighbour[8];

// --- memory

__global__ void past_end(int* out, int n) { out[threadIdx.x] = n; }  // BUG:past_end
__global__ void __launch_bounds__(1024) good_past_end(int* out, int n) {
    if (threadIdx.x < 60) out[threadIdx.x] = n;
}

__global__ void before_start(int* out) {
    if (threadIdx.x == 5) out[-1] = 1;  // BUG:before_start
}

__global__ void after_free(const int* in, int* out) {
    out[threadIdx.x] = in[threadIdx.x];  // BUG:after_free
}

__global__ void host_pointer(int* out) {
    out[threadIdx.x] = 1;  // BUG:host_pointer
}

__global__ void past_shared(int* out) {
    __shared__ int tile[block];
    tile[threadIdx.x + 1] = 1;  // BUG:past_shared
    __syncthreads();
    out[threadIdx.x % 32] = tile[threadIdx.x];
}
__attribute__((annotate("words of the user"))) __global__ void good_past_shared(int* out) {
    __shared__ int tile[block + 1];
    if (threadIdx.x == 0) tile[0] = 0;
    tile[threadIdx.x + 1] = 1;
    __syncthreads();
    if (threadIdx.x < 32) out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void past_dynamic(int* out) {
    extern __shared__ int scratch[];
    scratch[threadIdx.x] = 1;  // BUG:past_dynamic
    __syncthreads();
    out[0] = scratch[0];
}

__global__ void past_variable(int* out, int at) {
    table[at] = 3;  // BUG:past_variable
    out[0] = table[at - 1] + neighbour[0];
}

__global__ void misaligned(int* out) {
    auto* wide = reinterpret_cast<float2*>(out + 1);
    wide[threadIdx.x] = make_float2(1, 2);  // BUG:misaligned
}

__global__ void past_heap(int* out) {
    int* own = new int[4];
    own[threadIdx.x] = 1;  // BUG:past_heap
    out[threadIdx.x] = own[0];
    delete[] own;
}
__global__ void good_heap(int* out) {
    int* own = new int[4];
    own[threadIdx.x % 4] = 1;
    out[threadIdx.x % 32] = own[threadIdx.x % 4];
    delete[] own;
}

__global__ void past_copy(char* out, const char* in, int n) {
    memcpy(out, in, n);  // BUG:past_copy
}

// An index that only the running program knows.
__global__ void past_local(int* out, int n) {
    int kept[8];
    for (int i = 0; i < 8; ++i) kept[i] = out[i];
    kept[threadIdx.x % 8 + n] += 1;  // BUG:past_local
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum += kept[(i * n) % 8];
    out[threadIdx.x % 32] = sum;
}
__global__ void good_past_local(int* out, int n) {
    int kept[8];
    for (int i = 0; i < 8; ++i) kept[i] = out[i];
    kept[(threadIdx.x + n) % 8] += 1;
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum += kept[(i * n) % 8];
    out[threadIdx.x] = sum;
}
__global__ void before_local_row(int* out, int n) {
    struct {
        int first;
        short grid[3][5];
        double last;
    } state = {};
    state.grid[n % 3][n % 5] = 1;
    state.grid[-n][2] = 3;  // BUG:before_local_row
    out[threadIdx.x % 32] = state.first + state.grid[n % 2][n % 5] + static_cast<int>(state.last);
}
__global__ void long_local_copy(char* out, const char* in, int n) {
    char text[16];
    memcpy(text, in, n);  // BUG:long_local_copy
    out[threadIdx.x % 60] = text[n % 16];
}
__global__ void good_local_copy(char* out, const char* in, int n) {
    char text[16];
    memcpy(text, in, n);
    out[threadIdx.x % 60] = text[n % 16];
}

// Without optimisation the pattern that variables without a value hold is copied from a constant, one for both.
__global__ void good_local_halves(float* out) {
    half a[8], b[8];
    for (int i = 0; i < 8; ++i) {
        a[i] = __float2half(i);
        b[i] = __float2half(threadIdx.x);
    }
    float sum = 0;
    for (int i = 0; i < 8; ++i) sum += __half2float(a[i]) * __half2float(b[(i + threadIdx.x) % 8]);
    out[threadIdx.x] = sum;
}

// --- race

__global__ void race(int* out) {
    __shared__ int tile[block];
    tile[threadIdx.x] = threadIdx.x;  // BUG:race
    out[threadIdx.x] = tile[block - 1 - threadIdx.x];
}
__global__ void good_race(int* out) {
    __shared__ int tile[block];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[block - 1 - threadIdx.x];
}

__global__ void lost_update(int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    sum += threadIdx.x;  // BUG:lost_update
    __syncthreads();
    if (threadIdx.x == 0) out[0] = sum;
}
__global__ void good_lost_update(int* out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = sum;
}

// The next round's writes meet the last round's reads.
template <bool twice>
__device__ void rounds(int* out) {
    extern __shared__ int buffer[];
    int value = threadIdx.x;
    for (int round = 0; round < 3; ++round) {
        buffer[threadIdx.x] = value;
        __syncthreads();
        value += buffer[(threadIdx.x + 1) % block];  // BUG:missing_second
        if (twice) __syncthreads();
    }
    out[threadIdx.x] = value;
}
__global__ void missing_second(int* out) { rounds<false>(out); }
__global__ void good_missing_second(int* out) { rounds<true>(out); }

__global__ void warp_race(int* out) {
    __shared__ int tile[block];
    tile[threadIdx.x] = threadIdx.x;
    __shfl_sync(0xffffffffu, 1, 0);
    out[threadIdx.x] = tile[threadIdx.x ^ 1];  // BUG:warp_race
}
__global__ void good_warp_race(int* out) {
    __shared__ int tile[block];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void across_warps(int* out) {
    __shared__ int tile[block];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x ^ 32];  // BUG:across_warps
}
__global__ void zeroed_late(int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    atomicAdd(&count, 1);  // BUG:zeroed_late
    __syncthreads();
    out[threadIdx.x] = count;
}
__global__ void good_zeroed(int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
// The guide's way to make an atomic operation: what the plain read sees is compared with what is there then.
__global__ void compared_again(int* out) {
    __shared__ double sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    auto* address = reinterpret_cast<unsigned long long*>(&sum);
    unsigned long long old = *address, assumed;
    do {
        assumed = old;
        old = atomicCAS(address, assumed, __double_as_longlong(threadIdx.x + __longlong_as_double(assumed)));
    } while (assumed != old);
    __syncthreads();
    out[threadIdx.x] = static_cast<int>(sum);
}
__global__ void counted_by_others(int* out) {
    __shared__ int counts[block / 32];
    int* count = &counts[threadIdx.x / 32];
    if (threadIdx.x % 32 == 0) *count = 0;
    __syncthreads();
    const unsigned lane = threadIdx.x % 32;
    if (lane < 2) atomicAdd(count, 1);
    if (lane != 0) __syncwarp(~1u);
    if (lane == 2) out[threadIdx.x] = *count;  // BUG:counted_by_others
}
// Pairs meet, then pairs of other lanes: lane 3 learns of lane 0's write through lane 1.
__global__ void good_chain(int* out) {
    __shared__ int tile[block];
    tile[threadIdx.x] = threadIdx.x;
    const unsigned lane = threadIdx.x % 32;
    __syncwarp(3u << (lane & ~1u));
    __syncwarp((lane & 1 ? 0xau : 0x5u) << (lane & ~3u));
    out[threadIdx.x] = tile[threadIdx.x ^ 3];
}
__global__ void good_tiles(int* out) {
    namespace cg = cooperative_groups;
    __shared__ int tile[block];
    auto eight = cg::tiled_partition<8>(cg::this_thread_block());
    tile[threadIdx.x] = threadIdx.x;
    eight.sync();
    out[threadIdx.x] = tile[threadIdx.x ^ 7];
}
__global__ void good_bytes(int* out) {
    __shared__ unsigned char bytes[block];
    bytes[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = bytes[threadIdx.x];
}

// --- init

__global__ void unwritten_shared(int* out) {
    __shared__ int tile[block];
    if (threadIdx.x != 7) tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];  // BUG:unwritten_shared
}
__global__ void unwritten_global(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x] + 1;  // BUG:unwritten_global
}
struct Padded {
    char letter;
    double value;
};
__global__ void good_padding(Padded* items, Padded* out) {
    items[threadIdx.x].letter = 'a';
    items[threadIdx.x].value = 2;
    out[threadIdx.x] = items[threadIdx.x];
}
__global__ void good_reference(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }

// --- sync

__global__ void two_barriers(int* out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads();  // BUG:two_barriers
    } else {
        __syncthreads();
        out[threadIdx.x] = 2;
    }
}
__global__ void good_two_barriers(int* out) {
    out[threadIdx.x] = threadIdx.x < 32 ? 1 : 2;
    __syncthreads();
}
__global__ void exited(int* out, int n) {
    if (threadIdx.x >= n) return;
    out[threadIdx.x] = 1;
    __syncthreads();  // BUG:exited
    out[threadIdx.x] += 1;
}
__global__ void full_mask(int* out) {
    int value = threadIdx.x;
    if (threadIdx.x % 32 < 16) {
        value = __shfl_xor_sync(0xffffffffu, value, 1);  // BUG:full_mask
    } else {
        value = 3 + __shfl_xor_sync(0xffffffffu, value, 2);
    }
    out[threadIdx.x] = value;
}
__global__ void good_full_mask(int* out) {
    int value = threadIdx.x;
    if (threadIdx.x % 32 < 16) {
        value = __shfl_xor_sync(0x0000ffffu, value, 1);
    } else {
        value = 3 + __shfl_xor_sync(0xffff0000u, value, 2);
    }
    out[threadIdx.x] = value;
}
__global__ void foreign_lane(int* out) {
    if (threadIdx.x >= 48) return;
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, static_cast<int>(threadIdx.x), 16);  // BUG:foreign_lane
}

__global__ void group_exited(int* out) {
    namespace cg = cooperative_groups;
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    if (threadIdx.x % 16 >= 12) return;
    out[threadIdx.x] = 1;
    tile.sync();  // BUG:group_exited
}
// All threads of the mask that have not exited: that is what CUDA asks for.
__global__ void good_syncwarp_after_exit(int* out) {
    if (threadIdx.x % 32 >= 20) return;
    out[threadIdx.x] = 1;
    __syncwarp();
    out[threadIdx.x] += __ballot_sync(0xffffffffu, 1);
}
// The groups have only those that are there.
__global__ void good_groups_after_exit(int* out) {
    namespace cg = cooperative_groups;
    if (threadIdx.x % 32 >= 20) return;
    auto there = cg::coalesced_threads();
    there.sync();
    auto part = cg::binary_partition(there, threadIdx.x % 2);
    part.sync();
    out[threadIdx.x] = part.size();
}

// Its last warp has eight threads.
__global__ void good_group_of_a_short_warp(int* out) {
    namespace cg = cooperative_groups;
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    tile.sync();
    out[threadIdx.x] = tile.any(threadIdx.x == 35);
}

// A class that is not trivially copyable is passed by its address in the launch.
struct Scale {
    float by;
    __host__ __device__ explicit Scale(float f) : by(f) {}
    __host__ __device__ Scale(const Scale& other) : by(other.by) {}
    __device__ float operator()(float x) const { return by * x; }
};
__global__ void good_argument(const float* in, float* out, Scale scale) { out[threadIdx.x] = scale(in[threadIdx.x]); }

__attribute__((noinline)) int* allocate_sixty() {
    int* memory = nullptr;
    CHECK(musaMalloc(&memory, 60 * sizeof(int)));
    return memory;
}
__attribute__((noinline)) void release(int* memory) { CHECK(musaFree(memory)); }

int main(int, char** argv) {
    const std::string name = argv[1];
    DeviceArray<int> out(block);
    DeviceArray<float> floats(block);
    DeviceArray<Padded> padded(block);
    int* sixty = allocate_sixty();
#define RUN(kernel, ...) \
    if (name == #kernel) kernel<<<2, block __VA_ARGS__
    RUN(past_end, >>>(sixty, 1));
    RUN(good_past_end, >>>(sixty, 1));
    RUN(before_start, >>>(sixty));
    if (name == "after_free") {
        int* gone = allocate_sixty();
        release(gone);
        after_free<<<2, 32>>>(gone, out);
    }
    static int host[block];
    RUN(host_pointer, >>>(host));
    RUN(past_shared, >>>(out));
    RUN(good_past_shared, >>>(out));
    RUN(past_dynamic, , (block - 1) * sizeof(int)>>>(out));
    RUN(past_variable, >>>(out, 8));
    RUN(misaligned, >>>(out));
    RUN(past_heap, >>>(out));
    RUN(good_heap, >>>(out));
    RUN(past_local, >>>(out, 1));
    RUN(good_past_local, >>>(out, 1));
    RUN(before_local_row, >>>(out, 2));
    RUN(long_local_copy, >>>(reinterpret_cast<char*>(sixty), reinterpret_cast<char*>(out.operator int*()), 17));
    RUN(good_local_copy, >>>(reinterpret_cast<char*>(sixty), reinterpret_cast<char*>(out.operator int*()), 16));
    RUN(good_local_halves, >>>(floats));
    RUN(past_copy, >>>(reinterpret_cast<char*>(sixty), reinterpret_cast<char*>(out.operator int*()), 241));
    RUN(compared_again, >>>(out));
    RUN(race, >>>(out));
    RUN(good_race, >>>(out));
    RUN(lost_update, >>>(out));
    RUN(good_lost_update, >>>(out));
    RUN(missing_second, , block * sizeof(int)>>>(out));
    RUN(good_missing_second, , block * sizeof(int)>>>(out));
    RUN(warp_race, >>>(out));
    RUN(good_warp_race, >>>(out));
    RUN(across_warps, >>>(out));
    RUN(zeroed_late, >>>(out));
    RUN(good_zeroed, >>>(out));
    RUN(counted_by_others, >>>(out));
    RUN(good_chain, >>>(out));
    RUN(good_tiles, >>>(out));
    RUN(good_bytes, >>>(out));
    RUN(unwritten_shared, >>>(out));
    if (name == "unwritten_global") {
        float* fresh = nullptr;
        CHECK(musaMalloc(&fresh, block * sizeof(float)));
        CHECK(musaMemset(fresh, 0, 40 * sizeof(float)));
        unwritten_global<<<2, block>>>(fresh, floats);
        CHECK(musaDeviceSynchronize());
        CHECK(musaFree(fresh));
    }
    if (name == "good_padding") {
        Padded* fresh = nullptr;
        CHECK(musaMalloc(&fresh, block * sizeof(Padded)));
        good_padding<<<1, block>>>(fresh, padded);
        CHECK(musaDeviceSynchronize());
        CHECK(musaFree(fresh));
    }
    RUN(good_reference, >>>(floats, floats));
    RUN(two_barriers, >>>(out));
    RUN(good_two_barriers, >>>(out));
    RUN(exited, >>>(out, 48));
    RUN(full_mask, >>>(out));
    RUN(good_full_mask, >>>(out));
    RUN(foreign_lane, >>>(out));
    RUN(group_exited, >>>(out));
    RUN(good_syncwarp_after_exit, >>>(out));
    RUN(good_groups_after_exit, >>>(out));
    if (name == "good_group_of_a_short_warp") good_group_of_a_short_warp<<<2, 40>>>(out);
    RUN(good_argument, >>>(floats, floats, Scale(2)));
    if (name == "host_touch") *sixty = 1;
    if (name == "freed_twice") {
        int* gone = allocate_sixty();
        release(gone);
        musaFree(gone);
    }
    if (name == "long_copy") musaMemcpy(host, sixty, 61 * sizeof(int), musaMemcpyDeviceToHost);
    if (name == "status") std::exit(5);
    std::printf("%s\n", musaGetErrorName(musaDeviceSynchronize()));
    CHECK(musaDeviceReset());
    if (name != "leak") release(sixty);
}
