// Elements of any type, at any strides. They are computed in double; operators refuse integers of 64 bits where a
// double cannot hold them.
#pragma once

#include <mudnn.h>
#include <musa_fp8.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "../stored_numbers.h"

namespace musa_sim {

template <>
struct Element<__mt_fp8_e4m3> {
    using Number = double;
    static double number(__mt_fp8_e4m3 x) { return static_cast<double>(x); }
    static __mt_fp8_e4m3 stored(double x) { return __mt_fp8_e4m3(x); }
};
template <>
struct Element<__mt_fp8_e5m2> {
    using Number = double;
    static double number(__mt_fp8_e5m2 x) { return static_cast<double>(x); }
    static __mt_fp8_e5m2 stored(double x) { return __mt_fp8_e5m2(x); }
};

}  // namespace musa_sim

namespace mudnn {

using musa::dnn::Handle;
using musa::dnn::Status;
using musa::dnn::Tensor;
using Type = Tensor::Type;

inline Status status_of(musaError_t error) {
    return error == musaSuccess ? Status::SUCCESS : Status::EXECUTION_FAILED;
}

inline bool is_floating(Type type) {
    return type == Type::HALF || type == Type::FLOAT || type == Type::DOUBLE || type == Type::BFLOAT16;
}

inline bool is_8_bit_float(Type type) { return type == Type::FP8_E4M3 || type == Type::FP8_E5M2; }

// One of the types that every operator computes.
inline bool is_known(Type type) {
    return type > Type::UNKNOWN && type <= Type::INT64;
}

// Call `use` with a null pointer to the element type.
template <class Use>
auto with_type(Type type, Use use) {
    switch (type) {
        case Type::HALF: return use(static_cast<__half*>(nullptr));
        case Type::BFLOAT16: return use(static_cast<__mt_bfloat16*>(nullptr));
        case Type::DOUBLE: return use(static_cast<double*>(nullptr));
        case Type::BOOL: return use(static_cast<bool*>(nullptr));
        case Type::UINT8: return use(static_cast<std::uint8_t*>(nullptr));
        case Type::UINT16: return use(static_cast<std::uint16_t*>(nullptr));
        case Type::UINT32: return use(static_cast<std::uint32_t*>(nullptr));
        case Type::UINT64: return use(static_cast<std::uint64_t*>(nullptr));
        case Type::FP8_E4M3: return use(static_cast<__mt_fp8_e4m3*>(nullptr));
        case Type::FP8_E5M2: return use(static_cast<__mt_fp8_e5m2*>(nullptr));
        case Type::QINT8:
        case Type::INT8: return use(static_cast<std::int8_t*>(nullptr));
        case Type::INT16: return use(static_cast<std::int16_t*>(nullptr));
        case Type::INT32: return use(static_cast<std::int32_t*>(nullptr));
        case Type::INT64: return use(static_cast<std::int64_t*>(nullptr));
        default: return use(static_cast<float*>(nullptr));
    }
}

template <class T>
double number(T x) {
    return static_cast<double>(musa_sim::Element<T>::number(x));
}
template <class T>
void store(T* at, double x) {
    using Element = musa_sim::Element<T>;
    *at = Element::stored(static_cast<typename Element::Number>(x));
}

inline double read(Type type, const void* base, std::int64_t at) {
    return with_type(type, [&](auto* of) { return number(static_cast<decltype(of)>(const_cast<void*>(base))[at]); });
}

inline void write(Type type, void* base, std::int64_t at, double x) {
    with_type(type, [&](auto* of) { store(static_cast<decltype(of)>(base) + at, x); });
}

// Convert quantised integers to numbers and back; other elements are numbers. Integers are rounded to even, and saturated.
inline double meant(const Tensor& tensor, double stored) {
    return tensor.GetType() == Type::QINT8 ? stored * tensor.scale() : stored;
}
inline double to_store(const Tensor& tensor, double x) {
    if (tensor.GetType() != Type::QINT8) return x;
    return std::min(std::max(std::nearbyint(x / tensor.scale()), -128.0), 127.0);
}

inline std::int64_t count(const std::vector<std::int64_t>& sizes) {
    std::int64_t all = 1;
    for (std::int64_t size : sizes) all *= size;
    return all;
}

inline std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& sizes) {
    std::vector<std::int64_t> strides(sizes.size());
    std::int64_t stride = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        strides[i] = stride;
        stride *= sizes[i];
    }
    return strides;
}

// Return whether the caller passed a tensor: an omitted one has no address or no elements.
inline bool is_given(const Tensor& tensor) {
    return tensor.GetAddr() && count(tensor.sizes()) > 0;
}

// Count a dimension from 0; return -1 if it does not exist.
inline int dimension_of(int given, std::size_t rank) {
    const int at = given < 0 ? given + static_cast<int>(rank) : given;
    return at >= 0 && at < static_cast<int>(rank) ? at : -1;
}

inline bool is_index(Type type) { return type == Type::INT32 || type == Type::INT64; }

inline std::int64_t index_at(const Tensor& indices, std::int64_t at) {
    return indices.GetType() == Type::INT64 ? static_cast<const std::int64_t*>(indices.GetAddr())[at]
                                            : static_cast<const std::int32_t*>(indices.GetAddr())[at];
}

inline void put_index(const Tensor& indices, std::int64_t at, std::int64_t index) {
    if (indices.GetType() == Type::INT64) static_cast<std::int64_t*>(indices.GetAddr())[at] = index;
    else static_cast<std::int32_t*>(indices.GetAddr())[at] = static_cast<std::int32_t>(index);
}

// Set the strides with which a tensor is broadcast to `sizes`; return false if it does not fit.
inline bool strides_for(const Tensor& tensor, const std::vector<std::int64_t>& sizes,
                        std::vector<std::int64_t>& strides) {
    const auto& own = tensor.sizes();
    if (own.size() > sizes.size()) return false;
    strides.assign(sizes.size(), 0);
    const std::size_t first = sizes.size() - own.size();
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (own[i] != sizes[first + i] && own[i] != 1) return false;
        strides[first + i] = own[i] == 1 ? 0 : tensor.strides()[i];
    }
    return true;
}

// Call `use` with the offsets of each element in tensors of the same sizes.
template <std::size_t N, class Use>
void each(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t> (&strides)[N], Use use) {
    if (count(sizes) == 0) return;
    std::vector<std::int64_t> at(sizes.size(), 0);
    std::int64_t offsets[N] = {};
    for (;;) {
        use(offsets);
        std::size_t i = sizes.size();
        for (; i-- > 0;) {
            ++at[i];
            for (std::size_t n = 0; n < N; ++n) offsets[n] += strides[n][i];
            if (at[i] < sizes[i]) break;
            for (std::size_t n = 0; n < N; ++n) offsets[n] -= strides[n][i] * sizes[i];
            at[i] = 0;
        }
        if (i == static_cast<std::size_t>(-1)) return;
    }
}

// Return the elements in the order of the dimensions.
inline std::vector<double> numbers_of(const Tensor& tensor) {
    std::vector<double> numbers;
    numbers.reserve(static_cast<std::size_t>(count(tensor.sizes())));
    const std::vector<std::int64_t> strides[1] = {tensor.strides()};
    with_type(tensor.GetType(), [&](auto* of) {
        const auto* const base = static_cast<decltype(of)>(tensor.GetAddr());
        each(tensor.sizes(), strides, [&](const std::int64_t(&at)[1]) { numbers.push_back(number(base[at[0]])); });
    });
    return numbers;
}

inline void store_numbers(const Tensor& tensor, const std::vector<double>& numbers) {
    const std::vector<std::int64_t> strides[2] = {tensor.strides(), dense_strides(tensor.sizes())};
    each(tensor.sizes(), strides, [&](const std::int64_t(&at)[2]) {
        write(tensor.GetType(), tensor.GetAddr(), at[0], numbers[static_cast<std::size_t>(at[1])]);
    });
}

inline std::vector<std::int64_t> indices_of(const Tensor& tensor) {
    std::vector<std::int64_t> indices;
    const std::vector<std::int64_t> strides[1] = {tensor.strides()};
    each(tensor.sizes(), strides, [&](const std::int64_t(&at)[1]) { indices.push_back(index_at(tensor, at[0])); });
    return indices;
}

inline bool are_floating(std::initializer_list<const Tensor*> tensors) {
    return std::all_of(tensors.begin(), tensors.end(), [](const Tensor* each) { return is_floating(each->GetType()); });
}

// Return a view with the dimensions in another order.
inline Tensor in_order(const Tensor& tensor, const std::vector<std::size_t>& order) {
    std::vector<std::int64_t> sizes, strides;
    for (std::size_t from : order) {
        sizes.push_back(tensor.sizes()[from]);
        strides.push_back(tensor.strides()[from]);
    }
    Tensor view = tensor;
    view.SetNdInfo(static_cast<std::int64_t>(sizes.size()), sizes.data(), strides.data());
    return view;
}

// Return a view with `axis` as the second dimension.
inline Tensor with_second(const Tensor& tensor, std::size_t axis) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < tensor.sizes().size(); ++i) {
        if (i == 1) order.push_back(axis);
        if (i != axis) order.push_back(i);
    }
    return in_order(tensor, order);
}

// Return a view [count, channels, pixels...] of a tensor whose format has these dimensions in another order.
inline Tensor channels_first(const Tensor& tensor) {
    using Format = Tensor::Format;
    const Format format = tensor.format();
    const std::size_t rank = tensor.sizes().size();
    const bool is_last = (rank == 3 && format == Format::NWC) || (rank == 4 && format == Format::NHWC) ||
                         (rank == 5 && format == Format::NDHWC);
    if (is_last) return with_second(tensor, rank - 1);
    if (rank == 4 && format == Format::HWCN) return in_order(tensor, {3, 2, 0, 1});
    if (rank == 5 && format == Format::DHWCN) return in_order(tensor, {4, 3, 0, 1, 2});
    return tensor;
}

}  // namespace mudnn
