#include "reductions.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "../stored_numbers.h"

namespace mccl {
namespace {

using musa_sim::Element;

// Integers wrap around, small ones too.
template <class T>
T plus(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
        return a + b;
    }
}
template <class T>
T times(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else {
        return a * b;
    }
}
template <class T>
T larger(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return a > b ? a : b;
    } else {
        return std::fmax(a, b);
    }
}
template <class T>
T smaller(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return a < b ? a : b;
    } else {
        return std::fmin(a, b);
    }
}

// Call body(T()) with the C++ type of an element type.
template <class Body>
auto with_type(mcclDataType_t type, Body&& body) {
    switch (type) {
        case mcclInt8: return body(std::int8_t());
        case mcclUint8: return body(std::uint8_t());
        case mcclInt32: return body(std::int32_t());
        case mcclUint32: return body(std::uint32_t());
        case mcclInt64: return body(std::int64_t());
        case mcclUint64: return body(std::uint64_t());
        case mcclFloat16: return body(__half());
        case mcclFloat64: return body(double());
        case mcclBfloat16: return body(__mt_bfloat16());
        default: return body(float());
    }
}

// target[i] = function(a[i], b[i])
template <class T, class Function>
void map(void* target, const void* a, const void* b, std::size_t count, Function function) {
    auto* to = static_cast<T*>(target);
    const auto* left = static_cast<const T*>(a);
    const auto* right = static_cast<const T*>(b);
    using E = Element<T>;
    for (std::size_t i = 0; i < count; ++i) to[i] = E::stored(function(E::number(left[i]), E::number(right[i])));
}

template <class T>
void combine_as(Combine how, void* target, const void* a, const void* b, std::size_t count) {
    using N = typename Element<T>::Number;
    switch (how) {
        case Combine::sum: return map<T>(target, a, b, count, plus<N>);
        case Combine::product: return map<T>(target, a, b, count, times<N>);
        case Combine::maximum: return map<T>(target, a, b, count, larger<N>);
        case Combine::minimum: return map<T>(target, a, b, count, smaller<N>);
    }
}

}  // namespace

bool is_type(mcclDataType_t type) { return type >= mcclInt8 && type < mcclNumTypes; }

bool is_integer(mcclDataType_t type) { return type <= mcclUint64; }

std::size_t size_of(mcclDataType_t type) {
    return with_type(type, [](auto zero) { return sizeof(zero); });
}

const char* name_of(mcclDataType_t type) {
    switch (type) {
        case mcclInt8: return "int8";
        case mcclUint8: return "uint8";
        case mcclInt32: return "int32";
        case mcclUint32: return "uint32";
        case mcclInt64: return "int64";
        case mcclUint64: return "uint64";
        case mcclFloat16: return "float16";
        case mcclFloat32: return "float32";
        case mcclFloat64: return "float64";
        case mcclBfloat16: return "bfloat16";
        case mcclNumTypes: break;
    }
    return "no type";
}

Factor reciprocal(mcclDataType_t type, int divisor) {
    return with_type(type, [=](auto zero) {
        using T = decltype(zero);
        using N = typename Element<T>::Number;
        const T value = Element<T>::stored(static_cast<N>(1) / static_cast<N>(divisor));
        Factor factor;
        std::memcpy(factor.bytes, &value, sizeof value);
        return factor;
    });
}

void combine(mcclDataType_t type, Combine how, void* target, const void* a, const void* b, std::size_t count) {
    with_type(type, [=](auto zero) { combine_as<decltype(zero)>(how, target, a, b, count); });
}

void scale(mcclDataType_t type, void* target, const void* source, std::size_t count, const Factor& factor) {
    with_type(type, [&](auto zero) {
        using T = decltype(zero);
        using N = typename Element<T>::Number;
        T stored;
        std::memcpy(&stored, factor.bytes, sizeof stored);
        const N by = Element<T>::number(stored);
        map<T>(target, source, source, count, [by](N x, N) { return times<N>(x, by); });
    });
}

void divide(mcclDataType_t type, void* target, std::size_t count, int divisor) {
    with_type(type, [=](auto zero) {
        using T = decltype(zero);
        if constexpr (std::is_integral_v<T>) {
            map<T>(target, target, target, count, [by = static_cast<T>(divisor)](T x, T) {
                return static_cast<T>(x / by);
            });
        }
    });
}

}  // namespace mccl
