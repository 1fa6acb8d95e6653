// whole_accesses: of each type and each way to read and write it, how many instructions of a read or a write came between
// two halves of a value. A kernel is stepped through: after each of its instructions a handler changes the value that it
// reads, or looks at the one that it writes. Device code is code of this CPU here, and has an asm statement of it.
#include "program.h"

#include <musa_ptx.h>

#include <csignal>
#include <utility>

template <class V>
struct Component {
    using Type = decltype(V::x);
};

// As cub has it: a class of a status and a value, in the bytes of a vector.
template <class V>
struct Descriptor {
    typename Component<V>::Type parts[sizeof(V) / sizeof(typename Component<V>::Type)];
};

template <class V>
struct Plain {
    static constexpr const char* name = "assignment";
    static __device__ void write(V* at, const V& value) { *at = value; }
    static __device__ V read(const V* at) { return *at; }
};
template <class V>
struct Bytes {
    static constexpr const char* name = "memcpy";
    static __device__ void write(V* at, const V& value) { std::memcpy(at, &value, sizeof value); }
    static __device__ V read(const V* at) {
        V value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
};
template <class V>
struct Aliased {
    static constexpr const char* name = "descriptor";
    static __device__ void write(V* at, const V& value) {
        V alias;
        *reinterpret_cast<Descriptor<V>*>(&alias) = reinterpret_cast<const Descriptor<V>&>(value);
        *at = alias;
    }
    static __device__ V read(const V* at) {
        V alias = *at;
        Descriptor<V> parts = reinterpret_cast<Descriptor<V>&>(alias);
        return reinterpret_cast<V&>(parts);
    }
};
template <class V>
struct Member {
    static constexpr const char* name = "member";
    struct Holder {
        V inner;
    };
    static __device__ void write(V* at, const V& value) { reinterpret_cast<Holder*>(at)->inner = value; }
    static __device__ V read(const V* at) {
        const Holder whole = *reinterpret_cast<const Holder*>(at);
        return whole.inner;
    }
};
#define CACHED(load, store)                                                    \
    template <class V>                                                         \
    struct By##load {                                                          \
        static constexpr const char* name = #load;                             \
        static __device__ void write(V* at, const V& value) { store(at, value); } \
        static __device__ V read(const V* at) { return load(at); }             \
    };
CACHED(__ldg, __stcg)
CACHED(__ldcg, __stcg)
CACHED(__ldca, __stwb)
CACHED(__ldcs, __stcs)
CACHED(__ldlu, __stwt)
CACHED(__ldcv, __stwt)
#undef CACHED

// ld.v4, st.v4 and the like, as ported asm statements call them.
template <class V>
struct Ptx {
    static constexpr const char* name = "PTX";
    using C = typename Component<V>::Type;
    static constexpr int count = sizeof(V) / sizeof(C);
    template <int... i>
    static __device__ void store(C* at, const C* parts, std::integer_sequence<int, i...>) {
        musa_ptx::store_vector<C>(at, parts[i]...);
    }
    static __device__ void write(V* at, const V& value) {
        store(&at->x, &value.x, std::make_integer_sequence<int, count>());
    }
    static __device__ V read(const V* at) { return musa_ptx::bits_as<V>(musa_ptx::load_vector<C, count>(&at->x)); }
};
template <class V>
struct VolatilePtx {
    static constexpr const char* name = "volatile PTX";
    using C = typename Component<V>::Type;
    static constexpr int count = sizeof(V) / sizeof(C);
    template <int... i>
    static __device__ void store(C* at, const C* parts, std::integer_sequence<int, i...>) {
        musa_ptx::store_volatile_vector<C>(at, parts[i]...);
    }
    static __device__ void write(V* at, const V& value) {
        store(&at->x, &value.x, std::make_integer_sequence<int, count>());
    }
    static __device__ V read(const V* at) {
        return musa_ptx::bits_as<V>(musa_ptx::load_volatile_vector<C, count>(&at->x));
    }
};

// Of types of more than 16 bytes, each 16 are one access.
template <class V>
__host__ __device__ bool is_torn(const V& value) {
    using C = typename Component<V>::Type;
    constexpr unsigned count = sizeof(V) / sizeof(C), at_once = sizeof(V) > 16 ? 16 / sizeof(C) : count;
    const C* parts = reinterpret_cast<const C*>(&value);
    for (unsigned i = 0; i < count; i++)
        if (parts[i] != parts[i - i % at_once]) return true;
    return false;
}

#define SET_TRAP_FLAG(instruction, bits) \
    asm volatile("leaq -128(%%rsp), %%rsp; pushfq; " instruction "; popfq; leaq 128(%%rsp), %%rsp" : : "r"(bits) : "memory", "cc")
__device__ void begin_steps() { SET_TRAP_FLAG("orq %0, (%%rsp)", 0x100ull); }
__device__ void end_steps() { SET_TRAP_FLAG("andq %0, (%%rsp)", ~0x100ull); }

// The components are values of their own, which the optimiser would like to write, and to read, one at a time.
template <class V, class Way>
__global__ void writes(V* at, typename Component<V>::Type number) {
    using C = typename Component<V>::Type;
    V value;
    for (unsigned i = 0; i < sizeof(V) / sizeof(C); i++) reinterpret_cast<C*>(&value)[i] = number;
    begin_steps();
    Way::write(at, value);
    end_steps();
}

template <class V, class Way>
__global__ void reads(const V* at, bool* found) {
    begin_steps();
    const V value = Way::read(at);
    end_steps();
    *found = is_torn(value);
}

static void (*after_step)();
static volatile unsigned steps, torn;
static void handle(int) {
    steps = steps + 1;
    after_step();
}

template <class V>
struct Watched {
    static V* at;
    static void fill(V* values, unsigned number) {
        using C = typename Component<V>::Type;
        for (unsigned i = 0; i < sizeof(V) / sizeof(C); i++) reinterpret_cast<C*>(values)[i] = static_cast<C>(number % 100);
    }
    static void change() { fill(at, steps); }
    static void test() { torn = torn + is_torn(*at); }
};
template <class V>
V* Watched<V>::at;

template <class V, class Way>
void look(const char* type) {
    V* at;
    bool* found;
    CHECK(musaMallocManaged(&at, sizeof *at));
    CHECK(musaMallocManaged(&found, sizeof *found));
    Watched<V>::at = at;
    Watched<V>::fill(at, 100);
    torn = steps = 0;
    after_step = Watched<V>::test;
    writes<V, Way><<<1, 1>>>(at, 99);
    check_kernel();
    const unsigned by_write = torn, steps_of_write = steps;
    after_step = Watched<V>::change;
    reads<V, Way><<<1, 1>>>(at, found);
    check_kernel();
    std::printf("%s by %s=%u %d%s\n", type, Way::name, by_write, *found, steps_of_write && steps ? "" : " no steps");
    CHECK(musaFree(at));
    CHECK(musaFree(found));
}

template <class V>
void look_at(const char* type) {
    look<V, Plain<V>>(type);
    look<V, Bytes<V>>(type);
    look<V, Aliased<V>>(type);
    look<V, Member<V>>(type);
    look<V, By__ldg<V>>(type);
    look<V, By__ldcg<V>>(type);
    look<V, By__ldca<V>>(type);
    look<V, By__ldcs<V>>(type);
    look<V, By__ldlu<V>>(type);
    look<V, By__ldcv<V>>(type);
    look<V, Ptx<V>>(type);
    look<V, VolatilePtx<V>>(type);
}
#define LOOK_AT(type) look_at<type>(#type)

__global__ void idle() {}

int main() {
    idle<<<1, 1>>>();  // the runtime's own handlers come with the first launch
    check_kernel();
    std::signal(SIGTRAP, handle);
    LOOK_AT(uchar2);
    LOOK_AT(char4);
    LOOK_AT(ushort2);
    LOOK_AT(short4);
    LOOK_AT(int2);
    LOOK_AT(uint4);
    LOOK_AT(float2);
    LOOK_AT(float4);
    LOOK_AT(ulong2);
    LOOK_AT(longlong2);
    LOOK_AT(ulonglong2);
    LOOK_AT(double2);
    LOOK_AT(double4);
    LOOK_AT(longlong4);
}
