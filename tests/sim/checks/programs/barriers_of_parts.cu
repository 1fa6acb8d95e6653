// barriers_of_parts CASE N: barriers by number and mbarriers of inline PTX, as CUDA source. The program that porting makes
// of it reads N integers and writes N, which a case reverses or adds up. Cases that begin with "no_" or
// "bad_" have a defect.
#include "program.h"

namespace {

constexpr int part = 64;     // threads that wait for each other
constexpr int rounds_at_a_time = 2;

#define BAR_SYNC(number, threads) asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory")
#define BAR_ARRIVE(number, threads) asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory")

__device__ unsigned shared_address(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

__device__ void init(unsigned long long* object, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(object)), "r"(count) : "memory");
}
__device__ unsigned long long arrive(unsigned long long* object) {
    unsigned long long token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(object)) : "memory");
    return token;
}
__device__ void wait(unsigned long long* object, unsigned long long token) {
    unsigned passed = 0;
    while (!passed)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(passed)
                     : "r"(shared_address(object)), "l"(token)
                     : "memory");
}
__device__ void wait_parity(unsigned long long* object, unsigned parity) {
    unsigned passed = 0;
    while (!passed)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(passed)
                     : "r"(shared_address(object)), "r"(parity)
                     : "memory");
}

// Each 64 threads of a block reverse their own numbers; they come to their barrier after different work.
__global__ void halves(const int* x, int n, int* y) {
    __shared__ int tile[4 * part];
    const int own = threadIdx.x / part, i = threadIdx.x % part, first = blockIdx.x * blockDim.x + own * part;
    for (int round = 0; round < 3 + own; ++round) {
        tile[own * part + i] = first + i < n ? x[first + i] : 0;
        BAR_SYNC(own + 1, part);
        const int other = tile[own * part + part - 1 - i];
        BAR_SYNC(own + 1, part);
        if (first + i < n) y[first + i] = other;
    }
}
__global__ void no_second_barrier(const int* x, int n, int* y) {
    __shared__ int tile[4 * part];
    const int own = threadIdx.x / part, i = threadIdx.x % part, first = blockIdx.x * blockDim.x + own * part;
    for (int round = 0; round < 2; ++round) {
        tile[own * part + i] = first + i < n ? x[first + i] : 0;
        BAR_SYNC(own + 1, part);
        if (first + i < n) y[first + i] = tile[own * part + part - 1 - i];
    }
}
// The last warp has 16 threads.
__global__ void ragged(const int* x, int n, int* y) {
    __shared__ int tile[48];
    const int i = threadIdx.x;
    tile[i] = i < n ? x[i] : 0;
    BAR_SYNC(3, 64);
    if (i < n) y[i] = tile[47 - i];
}

// The first 64 threads write tiles that the others read: two barriers by number, which one half only arrives at.
__global__ void handed_over(const int* x, int n, int* y) {
    __shared__ int tile[part];
    const int i = threadIdx.x % part;
    for (int at = 0; at < n; at += part) {
        if (threadIdx.x < part) {
            if (at > 0) BAR_SYNC(2, 2 * part);
            tile[i] = at + i < n ? x[at + i] : 0;
            BAR_ARRIVE(1, 2 * part);
        } else {
            BAR_SYNC(1, 2 * part);
            if (at + i < n) y[at + i] = tile[i] + tile[part - 1 - i];
            if (at + part < n) BAR_ARRIVE(2, 2 * part);
        }
    }
}
__global__ void no_empty(const int* x, int n, int* y) {
    __shared__ int tile[part];
    const int i = threadIdx.x % part;
    for (int at = 0; at < n; at += part) {
        if (threadIdx.x < part) {
            tile[i] = at + i < n ? x[at + i] : 0;
            BAR_ARRIVE(1, 2 * part);
            BAR_SYNC(3, part);
        } else {
            BAR_SYNC(1, 2 * part);
            if (at + i < n) y[at + i] = tile[i] + tile[part - 1 - i];
        }
    }
}

// The same with mbarriers, the parity of whose phases the threads count, in two stages.
__global__ void stages(const int* x, int n, int* y) {
    __shared__ int tile[rounds_at_a_time][part];
    __shared__ unsigned long long full[rounds_at_a_time], empty[rounds_at_a_time];
    const int i = threadIdx.x % part;
    if (threadIdx.x < rounds_at_a_time) {
        init(&full[threadIdx.x], part);
        init(&empty[threadIdx.x], part);
    }
    __syncthreads();
    for (int round = 0; round * part < n; ++round) {
        const int stage = round % rounds_at_a_time, at = round * part;
        const unsigned parity = round / rounds_at_a_time & 1;
        if (threadIdx.x < part) {
            wait_parity(&empty[stage], parity ^ 1);  // the phase before the first is complete
            tile[stage][i] = at + i < n ? x[at + i] : 0;
            arrive(&full[stage]);
        } else {
            wait_parity(&full[stage], parity);
            if (at + i < n) y[at + i] = tile[stage][i] + tile[stage][part - 1 - i];
            arrive(&empty[stage]);
        }
    }
}
__global__ void no_full(const int* x, int n, int* y) {
    __shared__ int tile[part];
    __shared__ unsigned long long full;
    const int i = threadIdx.x % part;
    if (threadIdx.x == 0) init(&full, part);
    __syncthreads();
    if (threadIdx.x < part) {
        tile[i] = i < n ? x[i] : 0;
        arrive(&full);
    } else {
        if (i == 0) wait_parity(&full, 0);  // the others do not wait
        if (i < n) y[i] = tile[i] + tile[part - 1 - i];
    }
}

// All threads of a block arrive and wait with their token; copies make the arrival in the second half of the rounds.
__global__ void tokens(const int* x, int n, int* y) {
    __shared__ __align__(16) int tile[2 * part];
    __shared__ unsigned long long object;
    const int i = threadIdx.x;
    if (i == 0) init(&object, 2 * part);
    __syncthreads();
    for (int at = 0; at < n; at += 2 * part) {
        if (at % (4 * part) == 0) {
            tile[i] = at + i < n ? x[at + i] : 0;
            wait(&object, arrive(&object));
        } else {
            const unsigned size = at + i < n ? 4 : 0;
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(tile + i)),
                         "l"(x + (size ? at + i : 0)), "r"(size)
                         : "memory");
            asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(&object)) : "memory");
            wait(&object, arrive(&object));
        }
        if (at + i < n) y[at + i] = tile[i] + tile[2 * part - 1 - i];
        wait(&object, arrive(&object));
    }
}
// cp.async.mbarrier.arrive.noinc is the thread's arrival.
__global__ void copies(const int* x, int n, int* y) {
    __shared__ __align__(16) int tile[part];
    __shared__ unsigned long long full;
    const int i = threadIdx.x % part;
    if (threadIdx.x == 0) init(&full, part);
    __syncthreads();
    if (threadIdx.x < part) {
        const unsigned size = i < n ? 4 : 0;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(tile + i)),
                     "l"(x + (size ? i : 0)), "r"(size)
                     : "memory");
        asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&full)) : "memory");
    } else {
        wait_parity(&full, 0);
        if (i < n) y[i] = tile[i] + tile[part - 1 - i];
    }
}
// Of 64 threads those with odd indices drop out after the first phase: y has the counts that tokens show.
__global__ void dropped(const int*, int n, int* y) {
    __shared__ unsigned long long object;
    const int i = threadIdx.x;
    if (i == 0) init(&object, part);
    __syncthreads();
    unsigned long long token;
    if (i % 2) {
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(&object)) : "memory");
        wait(&object, token);
        return;
    }
    wait(&object, arrive(&object));
    __syncthreads();
    unsigned missing;
    token = arrive(&object);
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(missing) : "l"(token));
    wait(&object, token);
    if (i < n) y[i] = static_cast<int>(missing);
}

__global__ void bad_count(const int*, int, int* y) {
    BAR_SYNC(1, 64 + 32 * (threadIdx.x / 32));
    y[0] = 1;
}
__global__ void bad_threads(const int*, int, int* y) {
    BAR_SYNC(1, 50);
    y[0] = 1;
}
__global__ void bad_number(const int*, int, int* y) {
    BAR_SYNC(16, 64);
    y[0] = 1;
}
__global__ void bad_wait(const int*, int, int* y) {
    if (threadIdx.x < 32) BAR_SYNC(1, 64);
    y[0] = 1;
}

}  // namespace

int main(int, char** arguments) {
    const std::string name = arguments[1];
    const int n = std::atoi(arguments[2]);
    DeviceArray<int>& x = input<int>(static_cast<std::size_t>(n));
    DeviceArray<int> y(static_cast<std::size_t>(n));
#define CASE(kernel, blocks, threads) \
    if (name == #kernel) kernel<<<blocks, threads>>>(x, n, y)
    CASE(halves, blocks_for(n, 4 * part), 4 * part);
    CASE(no_second_barrier, 1, 4 * part);
    CASE(ragged, 1, 48);
    CASE(handed_over, 1, 2 * part);
    CASE(no_empty, 1, 2 * part);
    CASE(stages, 1, 2 * part);
    CASE(no_full, 1, 2 * part);
    CASE(tokens, 1, 2 * part);
    CASE(copies, 1, 2 * part);
    CASE(dropped, 1, part);
    CASE(bad_count, 1, 64);
    CASE(bad_threads, 1, 64);
    CASE(bad_number, 1, 64);
    CASE(bad_wait, 1, 64);
    check_kernel();
    y.write();
}
