// Values that only some lanes of a warp have set, and what warps do with each other's values.
#include <cooperative_groups.h>
#include <musa_fp16.h>

#include "idiom.h"

namespace cg = cooperative_groups;

constexpr unsigned all_lanes = 0xffffffffu;

// --- one lane asks, all lanes get the answer: the variable is unset in the others

template <class T>
struct Asked {
    T value;
    int valid;
    __device__ Asked() {}
    __device__ Asked(T value) : value(value), valid(1) {}
};

__global__ void ask_unsigned(unsigned *counter, unsigned long long *out) {
    const unsigned lane = threadIdx.x & 31;
    unsigned first;
    if (lane == 3) first = atomicAdd(counter, 32u);
    first = __shfl_sync(all_lanes, first, 3);
    out[threadIdx.x] = first + lane;
}
__global__ void ask_wide(unsigned long long *counter, unsigned long long *out) {
    const unsigned lane = threadIdx.x & 31;
    unsigned long long first;
    if (lane == 3) first = atomicAdd(counter, 32ull);
    first = __shfl_sync(all_lanes, first, 3);
    out[threadIdx.x] = first + lane;
}
__global__ void ask_double(double *counter, unsigned long long *out) {
    const unsigned lane = threadIdx.x & 31;
    double first;
    if (lane == 3) first = atomicAdd(counter, 32.0);
    first = __shfl_sync(all_lanes, first, 3);
    out[threadIdx.x] = static_cast<unsigned long long>(first) + lane;
}
__global__ void ask_float(float *counter, unsigned long long *out) {
    const unsigned lane = threadIdx.x & 31;
    float first;
    if (lane == 3) first = atomicAdd(counter, 32.f);
    first = __shfl_sync(all_lanes, first, 3);
    out[threadIdx.x] = static_cast<unsigned long long>(first) + lane;
}
__global__ void ask_half2(float *counter, unsigned long long *out) {
    const unsigned lane = threadIdx.x & 31;
    __half2 first;
    if (lane == 3) first = __floats2half2_rn(atomicAdd(counter, 32.f), 1.f);
    first = __shfl_sync(all_lanes, first, 3);
    out[threadIdx.x] = static_cast<unsigned long long>(__low2float(first)) + lane;
}
__global__ void ask_tile(unsigned *counter, unsigned long long *out) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned first;
    if (tile.thread_rank() == 3) first = atomicAdd(counter, 32u);
    first = tile.shfl(first, 3);
    out[threadIdx.x] = first + tile.thread_rank();
}
__global__ void ask_struct(double *counter, unsigned long long *out) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    Asked<double> first;
    if (tile.thread_rank() == 3) first = Asked<double>(atomicAdd(counter, 32.0));
    first = tile.shfl(first, 3);
    out[threadIdx.x] = static_cast<unsigned long long>(first.value) + tile.thread_rank() + (first.valid - 1);
}
__device__ __noinline__ double from_third(double value) { return __shfl_sync(all_lanes, value, 3); }
__device__ __noinline__ Asked<unsigned long long> third_asks(unsigned long long *counter, unsigned lane) {
    Asked<unsigned long long> first;
    if (lane == 3) first = atomicAdd(counter, 32ull);
    return first;
}
__global__ void ask_through_functions(unsigned long long *counter, unsigned long long *out) {
    const unsigned lane = threadIdx.x & 31;
    const Asked<unsigned long long> first = third_asks(counter, lane);
    out[threadIdx.x] = static_cast<unsigned long long>(from_third(static_cast<double>(first.value))) + lane;
}

template <class T>
void ask_once_per_warp(void (*kernel)(T *, unsigned long long *)) {
    Array<T> counter(1);
    Array<unsigned long long> out(128);
    input("start", counter.fill(1000));
    kernel<<<1, 128>>>(counter, out);
    output("counter", counter);
    output("out", out);
}

IDIOM(unset_unsigned_before_shuffle) { ask_once_per_warp(ask_unsigned); }
IDIOM(unset_64_bits_before_shuffle) { ask_once_per_warp(ask_wide); }
IDIOM(unset_double_before_shuffle) { ask_once_per_warp(ask_double); }
IDIOM(unset_float_before_shuffle) { ask_once_per_warp(ask_float); }
IDIOM(unset_half2_before_shuffle) { ask_once_per_warp(ask_half2); }
IDIOM(unset_before_tile_shuffle) { ask_once_per_warp(ask_tile); }
IDIOM(unset_struct_before_tile_shuffle) { ask_once_per_warp(ask_struct); }
IDIOM(unset_through_functions) { ask_once_per_warp(ask_through_functions); }

// --- votes, matches and barriers that count, of values that only one lane has set

__device__ __noinline__ bool ask_bool(unsigned *counter) { return atomicAdd(counter, 1u) < 1000; }

__global__ void vote_unset(unsigned *counter, unsigned *out) {
    const unsigned lane = threadIdx.x & 31;
    int number;
    if (lane == 3) number = static_cast<int>(atomicAdd(counter, 1u)) + 1;
    const unsigned ballot = __ballot_sync(all_lanes, number);
    bool flag;
    if (lane == 5) flag = ask_bool(counter);
    const bool any = __any_sync(all_lanes, lane == 5 && flag);
    unsigned key;
    if (lane == 7) key = atomicAdd(counter, 1u);
    const unsigned same = __match_any_sync(all_lanes, key);
    int count;
    if (lane == 9) count = atomicAdd(counter, 1u) < 1000;
    const int counted = __syncthreads_count(lane == 9 ? count : 0);
    int last;
    if (lane == 11) last = static_cast<int>(atomicAdd(counter, 1u)) + 1;
    const int either = __syncthreads_or(last);
    out[threadIdx.x] = (ballot >> 3 & 1) + any + (same >> lane & 1) + (counted == 1) + (either != 0);
}

IDIOM(unset_before_votes) {
    Array<unsigned> counter(1), out(32);
    input("start", counter.fill(900));
    vote_unset<<<1, 32>>>(counter, out);
    output("counter", counter);
    output("out", out);
}

// A branch on an unset value, in lanes that do not use what comes of it.
__global__ void branch_unset(const int *in, int *out, int n) {
    const int i = threadIdx.x;
    int value;
    bool found;
    if (i < n) value = in[i];
    if (i < n) found = in[i] == 7;
    int result = 1;
    if (value > 5) result = 2;
    if (found) result += 10;
    if (i < n) out[i] = result;
}

IDIOM(branch_on_unset) {
    Array<int> in(20), out(64);
    input("values", in.fill(12));
    for (int i = 0; i < 64; ++i) out[i] = -1;
    branch_unset<<<1, 64>>>(in, out, 20);
    output("out", out);
}

// --- warp-aggregated atomics

__device__ unsigned aggregated_add(unsigned *counter) {
    auto active = cg::coalesced_threads();
    unsigned first;
    if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
    return active.shfl(first, 0) + active.thread_rank();
}
__global__ void filter_groups(const int *in, int *out, unsigned *count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 40) out[aggregated_add(count)] = in[i];
}
__device__ int aggregated_by_hand(int *counter) {
    const unsigned active = __activemask();
    const int leader = __ffs(active) - 1;
    const int lane = threadIdx.x & 31;
    int first;
    if (lane == leader) first = atomicAdd(counter, __popc(active));
    first = __shfl_sync(active, first, leader);
    return first + __popc(active & ((1u << lane) - 1));
}
__global__ void filter_by_hand(const int *in, int *out, int *count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (in[i] > 40) out[aggregated_by_hand(count)] = in[i];
}
__global__ void filter_by_ballot(const int *in, int *out, int *count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    const bool keep = i < n && in[i] > 40;
    const unsigned kept = __ballot_sync(all_lanes, keep);
    int first;
    if (lane == 0) first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(all_lanes, first, 0);
    if (keep) out[first + __popc(kept & __get_lanemask_lt())] = in[i];
}

template <class Count>
void filter_random(void (*kernel)(const int *, int *, Count *, int)) {
    const int n = 1000;
    Array<int> in(n), out(n);
    Array<Count> count(1);
    input("values", in.fill(100));
    kernel<<<4, 256>>>(in, out, count, n);
    output("count", count);
    const int kept = static_cast<int>(count[0]);
    output("kept", out.data(), kept < 0 ? 0 : kept < n ? kept : n);
    output("all", out);
}

IDIOM(aggregated_atomics_with_groups) { filter_random(filter_groups); }
IDIOM(aggregated_atomics_by_hand) { filter_random(filter_by_hand); }
IDIOM(compaction_by_ballot_and_popc) { filter_random(filter_by_ballot); }

// --- reductions and scans of a warp

__inline__ __device__ float warp_sum(float value) {
    for (int offset = warpSize / 2; offset > 0; offset >>= 1) value += __shfl_down_sync(all_lanes, value, offset);
    return value;
}
__inline__ __device__ float block_sum(float value) {
    static __shared__ float shared[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    value = warp_sum(value);
    if (lane == 0) shared[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0;
    if (warp == 0) value = warp_sum(value);
    return value;
}
__global__ void sum_blocks(const float *in, float *out, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

IDIOM(block_reduction_by_shuffles) {
    const int n = 5000;
    Array<float> in(n), out(1);
    input("values", in.fill(100));
    sum_blocks<<<3, 128>>>(in, out, n);
    output("sum", out);
}

__global__ void scan_warp(const int *in, int *out) {
    const int lane = threadIdx.x & 31;
    int value = in[threadIdx.x];
#pragma unroll
    for (int i = 1; i <= 16; i *= 2) {
        int n = __shfl_up_sync(all_lanes, value, i, 32);
        if (lane >= i) value += n;
    }
    out[threadIdx.x] = value;
}

IDIOM(warp_scan) {
    Array<int> in(96), out(96);
    input("values", in.fill(50));
    scan_warp<<<1, 96>>>(in, out);
    output("out", out);
}

__global__ void argmax_warp(const float *in, int *out) {
    float best = in[threadIdx.x];
    int where = threadIdx.x;
    for (int mask = 16; mask; mask /= 2) {
        const float other = __shfl_xor_sync(all_lanes, best, mask);
        const int there = __shfl_xor_sync(all_lanes, where, mask);
        if (other > best || (other == best && there < where)) best = other, where = there;
    }
    if (threadIdx.x == 0) *out = where;
}

IDIOM(warp_argmax_by_butterfly) {
    Array<float> in(32);
    Array<int> out(1);
    input("values", in.fill(20));
    argmax_warp<<<1, 32>>>(in, out);
    output("where", out);
}

// The warp-synchronous tail of a reduction tree, as it was written before Volta: volatile, no barrier.
__global__ void volatile_tail(const float *in, float *out) {
    __shared__ float shared[64];
    const int t = threadIdx.x;
    shared[t] = in[t];
    __syncthreads();
    if (t < 32) {
        volatile float *s = shared;
        float value = s[t];
        value += s[t + 32], __syncwarp(), s[t] = value, __syncwarp();
        for (int d = 16; d > 0; d >>= 1) {
            value += s[t + d];
            __syncwarp();
            s[t] = value;
            __syncwarp();
        }
    }
    if (t == 0) out[0] = shared[0];
}

IDIOM(volatile_warp_reduction) {
    Array<float> in(64), out(1);
    input("values", in.fill(50));
    volatile_tail<<<1, 64>>>(in, out);
    output("sum", out);
}

// --- cooperative groups

__global__ void groups(const int *in, int *out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int sum = in[block.thread_rank()];
    for (int i = tile.size() / 2; i > 0; i /= 2) sum += tile.shfl_down(sum, i);
    sum = tile.shfl(sum, 0);
    auto active = cg::coalesced_threads();
    const bool odd = in[threadIdx.x] & 1;
    auto half = cg::binary_partition(active, odd);
    out[threadIdx.x] = sum * 1000 + half.size() * 10 + (half.shfl(in[threadIdx.x], 0) & 1);
}

IDIOM(group_tiles_and_partitions) {
    Array<int> in(64), out(64);
    input("values", in.fill(30));
    groups<<<1, 64>>>(in, out);
    output("out", out);
}

__global__ void diverged_masks(unsigned *out, unsigned every) {
    unsigned mask;
    if (threadIdx.x % every == 0) {
        mask = __activemask();
    } else {
        mask = __activemask();
    }
    out[threadIdx.x] = mask;
}

IDIOM(active_masks_of_two_branches) {
    Array<unsigned> out(32);
    const unsigned every = 2 + random_below(6);
    input("every", &every, 1);
    diverged_masks<<<1, 32>>>(out, every);
    output("masks", out);
}
