// Threads that wait for other threads of their warp, of their block and of other blocks.
#include "idiom.h"

__device__ void publish(int *data, volatile int *flag) {
    data[0] = data[2];
    __threadfence();
    *flag = 1;
}

__global__ void volatile_flag(volatile int *flag, int *data) {
    if (threadIdx.x == 33) publish(data, flag);
    if (threadIdx.x == 0) {
        while (flag[0] == 0)
            ;
        __threadfence();
        data[1] = data[0];
    }
}
__global__ void cast_flag(int *flag, int *data) {
    if (threadIdx.x == 0) {
        while (((volatile int *)flag)[0] == 0) {
        }
        data[1] = data[0];
    } else if (threadIdx.x == 40) {
        publish(data, flag);
    }
}
__global__ void atomic_add_zero(int *flag, int *data) {
    if (threadIdx.x == 33) publish(data, flag);
    if (threadIdx.x == 0) {
        while (atomicAdd(flag, 0) == 0)
            ;
        data[1] = data[0];
    }
}
__global__ void atomic_cas_same(int *flag, int *data) {
    if (threadIdx.x == 33) publish(data, flag);
    if (threadIdx.x == 0) {
        while (atomicCAS(flag, 1, 1) != 1)
            ;
        data[1] = data[0];
    }
}
__global__ void fence_in_loop(int *flag, int *data) {
    if (threadIdx.x == 33) publish(data, flag);
    if (threadIdx.x == 0) {
        while (flag[0] == 0) __threadfence();
        data[1] = data[0];
    }
}
__global__ void shared_flag(int *, int *data) {
    __shared__ volatile int ready;
    __shared__ int value;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 63) {
        value = data[2];
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x < 32) {
        while (!ready) {
        }
    }
    __syncthreads();
    if (threadIdx.x == 9) data[1] = value;
}
__device__ __noinline__ void wait_for(volatile int *flag) {
    while (*flag == 0) {
    }
}
__global__ void wait_in_function(int *flag, int *data) {
    if (threadIdx.x == 33) publish(data, flag);
    if (threadIdx.x == 0) {
        wait_for(flag);
        data[1] = data[0];
    }
}

template <class Flag>
void hand_over(void (*kernel)(Flag *, int *)) {
    Array<int> flag(1), data(3);
    data[2] = 1 + random_below(1000);
    input("message", data.data() + 2, 1);
    kernel<<<1, 64>>>(flag.data(), data);
    output("received", data.data() + 1, 1);
}

IDIOM(wait_on_volatile_parameter) { hand_over(volatile_flag); }
IDIOM(wait_on_volatile_cast) { hand_over(cast_flag); }
IDIOM(wait_by_atomic_add_of_zero) { hand_over(atomic_add_zero); }
IDIOM(wait_by_compare_and_swap) { hand_over(atomic_cas_same); }
IDIOM(wait_by_threadfence) { hand_over(fence_in_loop); }
IDIOM(wait_on_shared_flag) { hand_over(shared_flag); }
IDIOM(wait_in_a_function) { hand_over(wait_in_function); }

// Every thread waits for the next one, lanes of the same warp among them.
__global__ void chain(volatile int *flags, const int *steps) {
    const int t = threadIdx.x;
    if (t + 1 < blockDim.x) {
        while (flags[t + 1] == 0) {
        }
        flags[t] = flags[t + 1] + steps[t];
    } else {
        flags[t] = steps[t];
    }
}

IDIOM(chain_of_waiting_threads) {
    Array<int> flags(96), steps(96);
    steps.fill(50);
    for (int i = 0; i < 96; ++i) ++steps[i];  // 0 means that a thread has not been there
    input("steps", steps);
    chain<<<1, 96>>>(flags.data(), steps);
    output("flags", flags);
}

// --- locks

__global__ void spin_lock(int *lock, int *count) {
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    count[0] = count[0] + 1;
    __threadfence();
    atomicExch(lock, 0);
}
__global__ void exchange_lock(int *lock, int *count) {
    while (atomicExch(lock, 1)) {
    }
    __threadfence();
    ++*(volatile int *)count;
    __threadfence();
    atomicExch(lock, 0);
}
// As it had to be written when the lanes of a warp went in step.
__global__ void flag_lock(int *lock, int *count) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)count += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
__global__ void ticket_lock(int *next, int *count) {
    const int mine = atomicAdd(next, 1);
    while (*(volatile int *)(next + 1) != mine) {
    }
    *(volatile int *)count += 1;
    __threadfence();
    atomicAdd(next + 1, 1);
}

void count_threads(void (*kernel)(int *, int *)) {
    Array<int> lock(2), count(1);
    input("start", count.fill(1000));
    kernel<<<3, 64>>>(lock, count);
    output("count", count);
}

IDIOM(spin_lock_between_lanes) { count_threads(spin_lock); }
IDIOM(exchange_lock_between_lanes) { count_threads(exchange_lock); }
IDIOM(lock_with_a_flag) { count_threads(flag_lock); }
IDIOM(lock_by_tickets) { count_threads(ticket_lock); }

// --- between blocks

__device__ unsigned blocks_done = 0;

__global__ void last_block_sums(const float *in, volatile float *partial, float *out, int n) {
    __shared__ float tree[64];
    __shared__ bool is_last;
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tree[t] = i < n ? in[i] : 0;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) tree[t] += tree[t + half];
    }
    if (t == 0) {
        partial[blockIdx.x] = tree[0];
        __threadfence();
        is_last = atomicInc(&blocks_done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && t == 0) {
        float sum = 0;
        for (int block = 0; block < gridDim.x; ++block) sum += partial[block];
        out[0] = sum;
        blocks_done = 0;
    }
}

IDIOM(last_block_reduction) {
    const int n = 1000;
    Array<float> in(n), partial(16), out(1);
    input("values", in.fill(64));
    last_block_sums<<<16, 64>>>(in, partial.data(), out, n);
    output("partial", partial);
    output("sum", out);
}

// A scan in one pass: a block publishes its sum, looks back until it finds a prefix, publishes its own.
enum : unsigned { nothing = 0, sum_of_block = 1u << 30, prefix = 2u << 30, number = sum_of_block - 1 };

__global__ void look_back_scan(const unsigned *in, unsigned *out, volatile unsigned *state, unsigned *tickets, int n) {
    __shared__ unsigned values[64], before;
    __shared__ int block;
    const int t = threadIdx.x;
    if (t == 0) block = atomicAdd(tickets, 1u);
    __syncthreads();
    const int i = block * blockDim.x + t;
    values[t] = i < n ? in[i] : 0;
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        const unsigned other = t >= d ? values[t - d] : 0;
        __syncthreads();
        values[t] += other;
    }
    __syncthreads();
    if (t == 0) {
        const unsigned own = values[blockDim.x - 1];
        unsigned sum = 0;
        if (block > 0) {
            state[block] = sum_of_block | own;
            __threadfence();
            for (int at = block - 1;;) {
                const unsigned found = state[at];
                if ((found & ~number) == nothing) continue;
                sum += found & number;
                if (found & prefix) break;
                --at;
            }
        }
        state[block] = prefix | (sum + own);
        before = sum;
    }
    __syncthreads();
    if (i < n) out[i] = before + values[t];
}

IDIOM(decoupled_look_back_scan) {
    const int n = 2000;
    Array<unsigned> in(n), out(n), state(32), tickets(1);
    input("values", in.fill(1000));
    look_back_scan<<<32, 64>>>(in, out, state.data(), tickets, n);
    output("out", out);
}

// Not waiting: threads that take work from a counter, and retries of a compare-and-swap.
__global__ void take_work(const int *items, int *next, int *sum) {
    int item;
    while ((item = atomicAdd(next, 1)) < 500) atomicAdd(sum, items[item]);
}
__device__ float atomic_max(float *address, float value) {
    int *bits = (int *)address;
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
__global__ void maximum(const float *in, float *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomic_max(out, in[i]);
}

IDIOM(work_from_a_counter) {
    Array<int> items(500), next(1), sum(1);
    input("items", items.fill(1000));
    take_work<<<2, 64>>>(items, next, sum);
    output("sum", sum);
}

IDIOM(float_maximum_by_compare_and_swap) {
    Array<float> in(777), out(1);
    input("values", in.fill(-100, 100));
    maximum<<<1, 64>>>(in, out, 777);
    output("maximum", out);
}
