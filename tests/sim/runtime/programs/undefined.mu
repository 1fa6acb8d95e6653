// undefined FORM: what C++ leaves undefined and kernels do all the same. FORM: loop, barrier.
#include <climits>
#include <cstdint>

#include "program.h"

constexpr int threads = 64;
constexpr int words = 16;  // of memory that a thread has for itself in a check

// Values that the compiler cannot know.
struct Given {
    int zero, one, two, three, seven, width, beyond, long_width, minus_one, lowest, highest;
    int* null;
    float infinity, huge, nan;
};

// Each check computes one number, the same in every thread.
template <class... Checks>
__global__ void in_loop(Given given, int* memory, int* out) {
    const int i = threadIdx.x;
    int check = 0;
    ((out[check * threads + i] = Checks::of(given, i, memory + (check * threads + i) * words),
      ++check),
     ...);
}

template <class... Checks>
__global__ void between_barriers(Given given, int* memory, int* out) {
    __shared__ int results[threads];
    const int i = threadIdx.x;
    int check = 0;
    auto keep = [&](int result) {
        results[i] = result;
        __syncthreads();
        const int other = results[threads - 1 - i];
        __syncthreads();
        out[check++ * threads + i] = other;
    };
    (keep(Checks::of(given, i, memory + (check * threads + i) * words)), ...);
}

#define CHECK_THAT(name)                                                                 \
    struct name {                                                                        \
        static __device__ int of(const Given& given, int i, int* memory);                \
    };                                                                                   \
    __device__ int name::of([[maybe_unused]] const Given& given, [[maybe_unused]] int i, \
                            [[maybe_unused]] int* memory)

// --- aliasing: memory written as one type and read as another

struct Half {
    unsigned short bits;
    Half() = default;
    __device__ Half(int value) : bits(value) {}
};
CHECK_THAT(halves_read_as_words) {
    Half halves[8][4];
    for (int row = 0; row < 8; ++row)
        for (int k = 0; k < 4; ++k) halves[row][k] = 4 * row + k + given.zero;
    std::uint64_t sum = 0;
    for (int row = 0; row < 8; ++row) sum += reinterpret_cast<const std::uint64_t*>(halves)[row];
    return (sum >> 48) + (sum & 0xffff);
}
CHECK_THAT(class_written_as_words) {
    struct Four {
        float x, y, z, w;
    } from{1.0f + given.zero, 2, 3, 4}, to;
    for (int k = 0; k < 4; ++k) reinterpret_cast<int*>(&to)[k] = reinterpret_cast<int*>(&from)[k];
    return to.x + to.y + to.z + to.w;
}
__device__ __noinline__ int write_both(int* whole, float* real) {
    *whole = 1;
    *real = 2;
    return *whole;
}
CHECK_THAT(integer_and_float) { return write_both(memory, reinterpret_cast<float*>(memory)); }
struct First {
    int value;
};
struct Second {
    int value;
};
__device__ __noinline__ int write_both(First* first, Second* second) {
    first->value = 1;
    second->value = 2;
    return first->value;
}
CHECK_THAT(two_classes) {
    return write_both(reinterpret_cast<First*>(memory), reinterpret_cast<Second*>(memory));
}
__device__ __noinline__ long long write_both(int** pointer, long long* number) {
    *pointer = nullptr;
    *number = 5;
    return reinterpret_cast<long long>(*pointer);
}
CHECK_THAT(pointer_and_integer) {
    return write_both(reinterpret_cast<int**>(memory), reinterpret_cast<long long*>(memory));
}
CHECK_THAT(members_of_a_union) {
    union Either {
        int whole;
        float real;
    }* both = reinterpret_cast<Either*>(memory);
    write_both(&both->whole, &both->real);
    return both->whole;
}
extern __shared__ float dynamic_floats[];
extern __shared__ int dynamic_ints[];
CHECK_THAT(two_names_of_dynamic_shared_memory) {
    dynamic_ints[i] = 1;
    dynamic_floats[i] = 2;
    return dynamic_ints[i];
}

// --- overflow

CHECK_THAT(absolute_value_of_the_lowest) { return abs(given.lowest) < 0; }
CHECK_THAT(absolute_value_modulo) { return abs(given.lowest + given.zero) % 10; }
CHECK_THAT(absolute_value_of_long) { return llabs(static_cast<long long>(given.lowest) << 32) < 0; }
CHECK_THAT(hash_of_products) {
    const int hash = i * 73856093 ^ (i + 1) * 19349663;
    const unsigned wrapped = static_cast<unsigned>(i) * 73856093u ^ (i + 1u) * 19349663u;
    return static_cast<long long>(hash) % 1000 ==
           static_cast<long long>(static_cast<int>(wrapped)) % 1000;
}
CHECK_THAT(product_in_a_loop) {
    long long sum = 0, wrapped = 0;
    for (int k = 0; k < 1000 + given.zero; ++k) {
        sum += k * 19349663;
        wrapped += static_cast<int>(static_cast<unsigned>(k) * 19349663u);
    }
    return sum == wrapped;
}
CHECK_THAT(sum_that_overflows) { return given.highest + given.one; }

// --- shifts by as many bits as there are, and more

CHECK_THAT(left_by_the_width) { return given.seven << given.width; }
CHECK_THAT(left_beyond) { return given.seven << given.beyond; }
CHECK_THAT(left_by_a_negative_number) { return given.seven << given.minus_one; }
CHECK_THAT(right_by_the_width) { return static_cast<unsigned>(given.minus_one) >> given.width; }
CHECK_THAT(arithmetic_right_beyond) { return given.lowest >> given.beyond; }
CHECK_THAT(arithmetic_right_of_a_positive_number) { return given.highest >> given.beyond; }
CHECK_THAT(long_left_by_the_width) { return (0LL + given.seven) << given.long_width == 0; }
CHECK_THAT(long_right_by_the_width) { return (0ULL + given.minus_one) >> given.long_width == 0; }
CHECK_THAT(byte_left_beyond) { return static_cast<unsigned char>(given.seven) << given.beyond; }
CHECK_THAT(mask_of_all_bits) { return (1u << given.width) - 1; }
CHECK_THAT(rotation_by_nothing) {
    const unsigned x = 0x12345678u + given.zero;
    return x << given.zero | x >> (32 - given.zero);
}
CHECK_THAT(shift_then_test) {
    const unsigned shifted = static_cast<unsigned>(given.minus_one) >> given.beyond;
    return shifted + (given.beyond < 32);
}
CHECK_THAT(left_by_the_thread) { return ~0u << i == (i > 31 ? 0 : ~0u << (i & 31)); }
CHECK_THAT(right_by_the_thread) { return ~0u >> i == (i > 31 ? 0 : ~0u >> (i & 31)); }
CHECK_THAT(arithmetic_right_by_the_thread) {
    return given.lowest >> i == (i > 31 ? -1 : given.lowest >> (i & 31));
}
CHECK_THAT(vector_left_by_the_width) {
#ifdef __NVCC__  // its kernels have no such vectors
    return (7 << given.width) + (7 << given.beyond) + (7 << given.one) + (7 << given.zero);
#else
    using Four = int __attribute__((vector_size(16)));
    const Four x{7, 7, 7, 7}, by{given.width, given.beyond, given.one, given.zero};
    const Four shifted = x << by;
    return shifted[0] + shifted[1] + shifted[2] + shifted[3];
#endif
}

// --- divisions

CHECK_THAT(divided_by_zero) { return given.seven / given.zero; }
CHECK_THAT(unsigned_divided_by_zero) { return 7u / static_cast<unsigned>(given.zero); }
CHECK_THAT(long_divided_by_zero) { return static_cast<long long>(given.seven) / given.zero; }
CHECK_THAT(remainder_by_zero) { return given.seven % given.zero; }
CHECK_THAT(unsigned_remainder_by_zero) { return 7u % static_cast<unsigned>(given.zero); }
CHECK_THAT(lowest_divided_by_minus_one) { return given.lowest / given.minus_one; }
CHECK_THAT(lowest_modulo_minus_one) { return given.lowest % given.minus_one; }
CHECK_THAT(seven_divided_by_minus_one) { return given.seven / given.minus_one; }
CHECK_THAT(divided_then_tested) {
    int quotient = given.seven / given.zero;
    if (given.zero == 0) quotient = 5;
    return quotient;
}
CHECK_THAT(divided_by_the_thread) {
    const int by = i - 5, quotient = 1000 / by, rest = 1000 % by;
    return by == 0 ? quotient == -1 && rest == -1 : quotient * by + rest == 1000;
}
#ifdef __NVCC__  // as clang compiles them for its cards
#define __builtin_clz(x) __clz(static_cast<int>(x))
#define __builtin_ctzll(x) __clzll(static_cast<long long>(__brevll(x)))
#endif
CHECK_THAT(leading_zeros_of_nothing) { return __builtin_clz(given.zero); }
CHECK_THAT(trailing_zeros_of_nothing) { return __builtin_ctzll(given.zero); }

// --- null, and references to what is not there

__device__ __noinline__ bool is_null(int& x) { return &x == nullptr; }
CHECK_THAT(reference_to_null) { return is_null(*given.null); }
struct Object {
    int value;
    __device__ __noinline__ int get() { return this == nullptr ? 7 : value; }
};
CHECK_THAT(this_is_null) { return reinterpret_cast<Object*>(given.null)->get(); }
struct Holder {
    int& reference;
};
__device__ __noinline__ int read(const Holder& holder) {
    return &holder.reference == nullptr ? 8 : holder.reference;
}
CHECK_THAT(member_that_refers_to_null) { return read(Holder{*given.null}); }
__device__ __noinline__ int read_if(const int& x, bool use) {
    int result = 42;
    if (use) result = x;
    return result;
}
CHECK_THAT(reference_beyond_the_end) { return read_if(memory[1LL << 40], given.zero); }
__device__ __noinline__ int sum_of(const float4& v, int count) {
    float sum = 0;
    for (int k = 0; k < count; ++k) sum += v.x * k + v.y;
    return sum;
}
CHECK_THAT(reference_in_a_loop_that_does_not_run) {
    return sum_of(*reinterpret_cast<float4*>(given.null), given.zero);
}
CHECK_THAT(new_that_fails) {
    char* allocated = new char[(1ULL << 50) + given.zero];
    *reinterpret_cast<char**>(memory) = allocated;
    return allocated == nullptr;
}

// --- loops without effect, functions that forget to return

__device__ __noinline__ int collatz(unsigned n) {
    for (; n != 1; n = n & 1 ? 3 * n + 1 : n / 2) {
    }
    return 3;
}
CHECK_THAT(loop_without_effect) { return collatz(i + 1); }
__device__ __noinline__ int forget_some(int x, int* effect) {
    *effect = x;
    if (x > 1000) return 1;
}
CHECK_THAT(return_forgotten_on_a_path) {
    forget_some(given.three, memory);
    return *memory;
}
__device__ int* forget_all(int* effect) { *effect = 6; }
CHECK_THAT(return_forgotten) {
    forget_all(memory);
    return *memory;
}
struct Three {
    int a, b, c;
};
__device__ Three forget_class(int* effect) { *effect = 8; }
CHECK_THAT(return_of_a_class_forgotten) {
    forget_class(memory);
    return *memory;
}

// --- values that a type does not have

enum Kind { kind0, kind1, kind2 };
__device__ __noinline__ int of_kind(Kind kind) {
    switch (kind) {
        case kind0: return 10;
        case kind1: return 20;
        case kind2: return 30;
    }
    return 40;
}
CHECK_THAT(enum_out_of_range) { return of_kind(static_cast<Kind>(given.seven)); }
CHECK_THAT(byte_read_as_bool) {
    memory[0] = 2;
    return *reinterpret_cast<bool*>(memory) ? 1 : 2;
}
CHECK_THAT(infinity_as_int) { return static_cast<int>(given.infinity); }
CHECK_THAT(huge_as_byte) { return static_cast<unsigned char>(given.huge); }
CHECK_THAT(nan_as_int) { return static_cast<int>(given.nan); }
CHECK_THAT(unset_variable_is_one_value) {
    int unset;
    if (given.two == 3) unset = 1;
    const int copy = unset;
    return copy == unset;
}

// --- pointers and lifetimes

CHECK_THAT(array_that_starts_at_one) {
    float* from_one = reinterpret_cast<float*>(memory) - 1;
    from_one[1 + given.zero] = 3;
    return from_one[1];
}
CHECK_THAT(unsigned_negative_index) {
    memory[3] = 9;
    const std::size_t back = given.minus_one;
    return (memory + 4)[back] + 10 * (memory + 4 + back < memory + 4);
}
__device__ __noinline__ void fill(int* to, int value) {
    for (int k = 0; k < 4; ++k) to[k] = value;
}
CHECK_THAT(scope_that_ended) {
    int* p;
    {
        int inner[4];
        fill(inner, 5);
        p = inner;
    }
    int other[4];
    fill(other, 6);
    return p[given.two] + other[given.two];
}
CHECK_THAT(copy_onto_itself) {
    struct Six {
        int values[6];
    };
    for (int k = 0; k < 8; ++k) memory[k] = k;
    *reinterpret_cast<Six*>(memory + 1) = *reinterpret_cast<Six*>(memory);
    return memory[6] * 10 + memory[1];
}
CHECK_THAT(beyond_a_row) {
    int rows[2][2] = {};
    int* row = rows[0];
    for (int k = 0; k < 4; ++k) row[k] = k + given.zero;
    return rows[1][1];
}

template <class... Checks>
void run(const std::string& form, std::string names) {
    const Given given{0,  1,       2,       3,       7,        32,    40, 64,
                      -1, INT_MIN, INT_MAX, nullptr, INFINITY, 1e30f, NAN};
    DeviceArray<int> memory(sizeof...(Checks) * threads * words), out(sizeof...(Checks) * threads);
    const auto kernel = form == "loop" ? in_loop<Checks...> : between_barriers<Checks...>;
    kernel<<<1, threads, threads * sizeof(int)>>>(given, memory, out);
    check_kernel();
    names += ", ";
    const std::vector<int> results = out.host();
    for (std::size_t at = 0; at < results.size(); at += threads) {
        const std::string name = names.substr(0, names.find(", "));
        names.erase(0, name.size() + 2);
        std::printf("%s=%d", name.c_str(), results[at]);
        for (int i = 1; i < threads; ++i)
            if (results[at + i] != results[at]) std::printf(",%d", results[at + i]);
        std::printf("\n");
    }
}
#define RUN(...) run<__VA_ARGS__>(form, #__VA_ARGS__)

int main(int, char** arguments) {
    const std::string form = arguments[1];
    RUN(halves_read_as_words, class_written_as_words, integer_and_float, two_classes,
        pointer_and_integer, members_of_a_union, two_names_of_dynamic_shared_memory);
    RUN(absolute_value_of_the_lowest, absolute_value_modulo, absolute_value_of_long,
        hash_of_products, product_in_a_loop, sum_that_overflows);
    RUN(left_by_the_width, left_beyond, left_by_a_negative_number, right_by_the_width,
        arithmetic_right_beyond, arithmetic_right_of_a_positive_number, long_left_by_the_width,
        long_right_by_the_width, byte_left_beyond, mask_of_all_bits, rotation_by_nothing,
        shift_then_test, left_by_the_thread, right_by_the_thread, arithmetic_right_by_the_thread);
    RUN(vector_left_by_the_width);
    RUN(divided_by_zero, unsigned_divided_by_zero, long_divided_by_zero, remainder_by_zero,
        unsigned_remainder_by_zero, lowest_divided_by_minus_one, lowest_modulo_minus_one,
        seven_divided_by_minus_one, divided_then_tested, divided_by_the_thread,
        leading_zeros_of_nothing, trailing_zeros_of_nothing);
    RUN(reference_to_null, this_is_null, member_that_refers_to_null, reference_beyond_the_end,
        reference_in_a_loop_that_does_not_run, new_that_fails);
    RUN(loop_without_effect, return_forgotten_on_a_path, return_forgotten,
        return_of_a_class_forgotten);
    RUN(enum_out_of_range, byte_read_as_bool, infinity_as_int, huge_as_byte, nan_as_int,
        unset_variable_is_one_value);
    RUN(array_that_starts_at_one, unsigned_negative_index, scope_that_ended, copy_onto_itself,
        beyond_a_row);
}
