// Functions of LLVM's OpenMP runtime that clang's code calls, on GCC's libgomp: clang comes without an OpenMP runtime,
// and one pool of threads should serve the code of both compilers. Pragmas that need more (task, ordered,
// threadprivate) are undefined symbols at the link.
#include <cstdarg>
#include <cstdint>
#include <type_traits>

#include "../exported.h"

extern "C" {
int omp_get_thread_num(void);
int omp_get_num_threads(void);
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_barrier(void);
void GOMP_critical_name_start(void **lock);
void GOMP_critical_name_end(void **lock);
bool GOMP_single_start(void);
void GOMP_parallel_start(void (*function)(void *), void *data, unsigned threads);
void GOMP_parallel_end(void);
bool GOMP_loop_ull_dynamic_start(bool up, unsigned long long start, unsigned long long end, unsigned long long step,
                                 unsigned long long chunk, unsigned long long *from, unsigned long long *to);
bool GOMP_loop_ull_dynamic_next(unsigned long long *from, unsigned long long *to);
void GOMP_loop_end_nowait(void);
}

namespace {

constexpr int most_arguments = 24;
using Outlined = void (*)(std::int32_t *, std::int32_t *, ...);

thread_local unsigned wanted_threads = 0;  // of the next parallel region; 0: the default

// A loop whose chunks threads take as they come. `first` and `step` are of 64 bits in two's complement.
struct Dynamic {
    std::uint64_t first, step, count, chunk;
    bool is_begun;
};
thread_local Dynamic dynamic;

struct Region {
    Outlined function;
    int count;
    void *arguments[most_arguments];
};

// A call with more arguments than the function has is harmless: all are pointers, and the caller removes them.
void run(void *data) {
    const Region &region = *static_cast<Region *>(data);
    std::int32_t thread = omp_get_thread_num(), zero = 0;
    const Dynamic outer = dynamic;  // of the loop around a nested region
    void *const *a = region.arguments;
    using Function = void (*)(std::int32_t *, std::int32_t *, void *, void *, void *, void *, void *, void *, void *, void *,
                              void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                              void *, void *, void *, void *);
    reinterpret_cast<Function>(region.function)(&thread, &zero, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                                                a[10], a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20],
                                                a[21], a[22], a[23]);
    dynamic = outer;
}

void fork(const Region &region, unsigned threads) { GOMP_parallel(&run, const_cast<Region *>(&region), threads, 0); }

// The rounds of a loop from lower to upper, both included.
template <class T>
std::make_unsigned_t<T> rounds(T lower, T upper, std::make_signed_t<T> step) {
    using Count = std::make_unsigned_t<T>;
    if (step > 0 ? lower > upper : lower < upper) return 0;
    return step > 0 ? (static_cast<Count>(upper) - static_cast<Count>(lower)) / static_cast<Count>(step) + 1
                    : (static_cast<Count>(lower) - static_cast<Count>(upper)) / (Count{0} - static_cast<Count>(step)) + 1;
}

constexpr int chunked = 33;

// This thread's part of a loop: one block, or every n-th chunk.
template <class T>
void static_init(std::int32_t schedule, std::int32_t *last, T *lower, T *upper, std::make_signed_t<T> *stride,
                 std::make_signed_t<T> step, std::make_signed_t<T> chunk) {
    using Count = std::make_unsigned_t<T>;
    const Count threads = static_cast<Count>(omp_get_num_threads()), thread = static_cast<Count>(omp_get_thread_num());
    const Count count = rounds(*lower, *upper, step), by = static_cast<Count>(step);
    const int kind = schedule & 0xffff;  // without the bits for monotonic and nonmonotonic
    if (kind == chunked || kind == chunked + 32) {
        const Count size = chunk < 1 ? 1 : static_cast<Count>(chunk);
        *stride = static_cast<std::make_signed_t<T>>(size * by * threads);
        *lower = static_cast<T>(static_cast<Count>(*lower) + thread * size * by);
        *upper = static_cast<T>(static_cast<Count>(*lower) + (size - 1) * by);
        *last = count > 0 && thread == (count - 1) / size % threads;
        return;
    }
    const Count share = count / threads, more = count % threads;
    const Count begin = thread * share + (thread < more ? thread : more), size = share + (thread < more ? 1 : 0);
    const Count first = static_cast<Count>(*lower);
    *stride = static_cast<std::make_signed_t<T>>(count * by);
    *last = size > 0 && begin + size == count;
    *lower = static_cast<T>(first + begin * by);
    *upper = static_cast<T>(first + begin * by + size * by - by);
    if (size > 0) return;
    *lower = step > 0 ? static_cast<T>(1) : static_cast<T>(0);  // an empty loop, whatever the type
    *upper = step > 0 ? static_cast<T>(0) : static_cast<T>(1);
}

template <class T>
void dispatch_init(T lower, T upper, std::make_signed_t<T> step, std::make_signed_t<T> chunk) {
    dynamic = {static_cast<std::uint64_t>(lower), static_cast<std::uint64_t>(static_cast<std::int64_t>(step)),
               rounds(lower, upper, step), chunk < 1 ? 1 : static_cast<std::uint64_t>(chunk), false};
}

template <class T>
std::int32_t dispatch_next(std::int32_t *last, T *lower, T *upper, std::make_signed_t<T> *stride) {
    unsigned long long from = 0, to = 0;
    const bool has_more = dynamic.is_begun
                              ? GOMP_loop_ull_dynamic_next(&from, &to)
                              : GOMP_loop_ull_dynamic_start(true, 0, dynamic.count, 1, dynamic.chunk, &from, &to);
    dynamic.is_begun = true;
    if (!has_more) {
        GOMP_loop_end_nowait();
        return 0;
    }
    *lower = static_cast<T>(dynamic.first + from * dynamic.step);
    *upper = static_cast<T>(dynamic.first + (to - 1) * dynamic.step);
    *stride = static_cast<std::make_signed_t<T>>(dynamic.step);
    if (last) *last = to == dynamic.count;
    return 1;
}

}  // namespace

MUSA_EXPORT std::int32_t __kmpc_global_thread_num(void *) { return omp_get_thread_num(); }
MUSA_EXPORT void __kmpc_push_num_threads(void *, std::int32_t, std::int32_t count) {
    wanted_threads = count > 0 ? static_cast<unsigned>(count) : 0;
}
MUSA_EXPORT void __kmpc_push_proc_bind(void *, std::int32_t, std::int32_t) {}

MUSA_EXPORT void __kmpc_fork_call(void *, std::int32_t count, Outlined function, ...) {
    if (count > most_arguments) __builtin_trap();  // clang passes one structure where there are more
    Region region{function, count, {}};
    va_list arguments;
    va_start(arguments, function);
    for (int i = 0; i < count; ++i) region.arguments[i] = va_arg(arguments, void *);
    va_end(arguments);
    const unsigned threads = wanted_threads;
    wanted_threads = 0;
    fork(region, threads);
}
MUSA_EXPORT void __kmpc_fork_call_if(void *, std::int32_t, Outlined function, std::int32_t condition, void *argument) {
    const unsigned threads = condition ? wanted_threads : 1;
    wanted_threads = 0;
    fork({function, 1, {argument}}, threads);
}
// A region whose if clause is false: clang's code calls its function itself, between these two.
MUSA_EXPORT void __kmpc_serialized_parallel(void *, std::int32_t) {
    wanted_threads = 0;
    GOMP_parallel_start([](void *) {}, nullptr, 1);
}
MUSA_EXPORT void __kmpc_end_serialized_parallel(void *, std::int32_t) { GOMP_parallel_end(); }

#define LOOPS(name, type)                                                                                           \
    MUSA_EXPORT void __kmpc_for_static_init_##name(void *, std::int32_t, std::int32_t schedule, std::int32_t *last, \
                                                   type *lower, type *upper, std::make_signed_t<type> *stride,      \
                                                   std::make_signed_t<type> step, std::make_signed_t<type> chunk) { \
        static_init<type>(schedule, last, lower, upper, stride, step, chunk);                                       \
    }                                                                                                               \
    MUSA_EXPORT void __kmpc_dispatch_init_##name(void *, std::int32_t, std::int32_t, type lower, type upper,        \
                                                 std::make_signed_t<type> step, std::make_signed_t<type> chunk) {   \
        dispatch_init<type>(lower, upper, step, chunk);                                                             \
    }                                                                                                               \
    MUSA_EXPORT std::int32_t __kmpc_dispatch_next_##name(void *, std::int32_t, std::int32_t *last, type *lower,     \
                                                         type *upper, std::make_signed_t<type> *stride) {           \
        return dispatch_next<type>(last, lower, upper, stride);                                                     \
    }                                                                                                               \
    MUSA_EXPORT void __kmpc_dispatch_fini_##name(void *, std::int32_t) {}
LOOPS(4, std::int32_t)
LOOPS(4u, std::uint32_t)
LOOPS(8, std::int64_t)
LOOPS(8u, std::uint64_t)
MUSA_EXPORT void __kmpc_for_static_fini(void *, std::int32_t) {}
MUSA_EXPORT void __kmpc_dispatch_deinit(void *, std::int32_t) {}

MUSA_EXPORT void __kmpc_barrier(void *, std::int32_t) { GOMP_barrier(); }
MUSA_EXPORT std::int32_t __kmpc_cancel_barrier(void *, std::int32_t) {
    GOMP_barrier();
    return 0;
}
MUSA_EXPORT void __kmpc_flush(void *) { __sync_synchronize(); }

MUSA_EXPORT void __kmpc_critical(void *, std::int32_t, void **lock) { GOMP_critical_name_start(lock); }
MUSA_EXPORT void __kmpc_critical_with_hint(void *, std::int32_t, void **lock, std::uint32_t) {
    GOMP_critical_name_start(lock);
}
MUSA_EXPORT void __kmpc_end_critical(void *, std::int32_t, void **lock) { GOMP_critical_name_end(lock); }

MUSA_EXPORT std::int32_t __kmpc_master(void *, std::int32_t) { return omp_get_thread_num() == 0; }
MUSA_EXPORT void __kmpc_end_master(void *, std::int32_t) {}
MUSA_EXPORT std::int32_t __kmpc_masked(void *, std::int32_t, std::int32_t chosen) {
    return omp_get_thread_num() == chosen;
}
MUSA_EXPORT void __kmpc_end_masked(void *, std::int32_t) {}
MUSA_EXPORT std::int32_t __kmpc_single(void *, std::int32_t) { return GOMP_single_start(); }
MUSA_EXPORT void __kmpc_end_single(void *, std::int32_t) {}

// 1: the caller adds its part to the result, one thread after another.
MUSA_EXPORT std::int32_t __kmpc_reduce_nowait(void *, std::int32_t, std::int32_t, std::uint64_t, void *, void *,
                                              void **lock) {
    GOMP_critical_name_start(lock);
    return 1;
}
MUSA_EXPORT void __kmpc_end_reduce_nowait(void *, std::int32_t, void **lock) { GOMP_critical_name_end(lock); }
MUSA_EXPORT std::int32_t __kmpc_reduce(void *, std::int32_t, std::int32_t, std::uint64_t, void *, void *, void **lock) {
    GOMP_critical_name_start(lock);
    return 1;
}
MUSA_EXPORT void __kmpc_end_reduce(void *, std::int32_t, void **lock) {
    GOMP_critical_name_end(lock);
    GOMP_barrier();
}
