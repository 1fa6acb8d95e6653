// Elements of matrices whose type is known at run time.
#pragma once

#include <musa_fp8.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "../mublas/element_arithmetic.h"
#include "layout.h"

namespace mublas_lt {

inline bool is_8_bit_float(std::uint32_t type) { return type == MUSA_R_8F_E4M3 || type == MUSA_R_8F_E5M2; }
inline bool is_complex(std::uint32_t type) { return type == MUSA_C_32F || type == MUSA_C_64F; }

// Return the position of an element among those of 32 columns.
inline std::size_t index_in_tiles(std::int32_t order, std::size_t row, std::size_t column) {
    switch (order) {
        case MUBLASLT_ORDER_COL4_4R2_8C: {
            // tiles of 8 rows: even rows, then odd ones, of 8 columns each; of these the left 4, then the right 4
            const std::size_t block = row / 8 * 8 + row % 2 * 4 + column / 8;
            return block * 32 + (column % 8 / 4 * 4 + row % 8 / 2) * 4 + column % 4;
        }
        case MUBLASLT_ORDER_COL32_2R_4R4: {
            const std::size_t in_tile = row % 32;
            return row / 32 * 1024 + ((in_tile % 8 / 2 * 4 + in_tile / 8) * 2 + in_tile % 2) * 32 + column;
        }
        default: return row * 32 + column;
    }
}

// Return the position of an element.
inline std::size_t element_index(const Layout& layout, std::size_t row, std::size_t column) {
    const auto ld = static_cast<std::size_t>(layout.ld);
    if (layout.order == MUBLASLT_ORDER_COL) return row + column * ld;
    if (layout.order == MUBLASLT_ORDER_ROW) return row * ld + column;
    return column / 32 * ld + index_in_tiles(layout.order, row, column % 32);
}

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T>;

template <class T, class Sum>
Sum load_as(const void* from, std::size_t index) {
    return static_cast<Sum>(mublas::Element<T>::number(static_cast<const T*>(from)[index]));
}

// Read an element as a number of type Sum. A type that does not belong to Sum is 0: find_run() excludes it.
template <class Sum>
Sum load(std::uint32_t type, const void* from, std::size_t index) {
    if constexpr (is_number<Sum>) {
        switch (type) {
            case MUSA_R_32F: return load_as<float, Sum>(from, index);
            case MUSA_R_64F: return load_as<double, Sum>(from, index);
            case MUSA_R_16F: return load_as<__half, Sum>(from, index);
            case MUSA_R_16BF: return load_as<__mt_bfloat16, Sum>(from, index);
            case MUSA_R_8I: return load_as<std::int8_t, Sum>(from, index);
            case MUSA_R_32I: return load_as<std::int32_t, Sum>(from, index);
            case MUSA_R_8F_E4M3: return static_cast<Sum>(static_cast<float>(static_cast<const __mt_fp8_e4m3*>(from)[index]));
            case MUSA_R_8F_E5M2: return static_cast<Sum>(static_cast<float>(static_cast<const __mt_fp8_e5m2*>(from)[index]));
            default: return Sum();
        }
    } else if constexpr (std::is_same_v<Sum, mublas::Complex<float>>) {
        return load_as<muComplex, Sum>(from, index);
    } else {
        return load_as<muDoubleComplex, Sum>(from, index);
    }
}

// Round to an integer, to the nearest even one between two, and to the largest or smallest one beyond.
template <class Integer, class Sum>
Integer rounded(Sum value) {
    if constexpr (std::is_integral_v<Sum>) {
        return static_cast<Integer>(value);
    } else {
        const double whole = std::nearbyint(static_cast<double>(value));
        return static_cast<Integer>(std::clamp(whole, static_cast<double>(std::numeric_limits<Integer>::min()),
                                               static_cast<double>(std::numeric_limits<Integer>::max())));
    }
}

// Write a number; those of 8 bits are saturated.
template <class Sum>
void store(std::uint32_t type, void* to, std::size_t index, Sum value) {
    const auto put = [&](auto element) { static_cast<decltype(element)*>(to)[index] = element; };
    if constexpr (is_number<Sum>) {
        switch (type) {
            case MUSA_R_32F: return put(static_cast<float>(value));
            case MUSA_R_64F: return put(static_cast<double>(value));
            case MUSA_R_16F: return put(__float2half_rn(static_cast<float>(value)));
            case MUSA_R_16BF: return put(__float2bfloat16_rn(static_cast<float>(value)));
            case MUSA_R_8I: return put(rounded<std::int8_t>(value));
            case MUSA_R_32I: return put(rounded<std::int32_t>(value));
            case MUSA_R_8F_E4M3: return put(__mt_fp8_e4m3(static_cast<float>(value)));
            case MUSA_R_8F_E5M2: return put(__mt_fp8_e5m2(static_cast<float>(value)));
            default: return;
        }
    } else if constexpr (std::is_same_v<Sum, mublas::Complex<float>>) {
        put(mublas::Element<muComplex>::stored(value));
    } else {
        put(mublas::Element<muDoubleComplex>::stored(value));
    }
}

// Return the bytes of an element, 0 for a type that is not known here.
inline std::size_t size_of(std::uint32_t type) {
    switch (type) {
        case MUSA_R_8I:
        case MUSA_R_8F_E4M3:
        case MUSA_R_8F_E5M2: return 1;
        case MUSA_R_16F:
        case MUSA_R_16BF: return 2;
        case MUSA_R_32F:
        case MUSA_R_32I: return 4;
        case MUSA_R_64F:
        case MUSA_C_32F: return 8;
        case MUSA_C_64F: return 16;
        default: return 0;
    }
}

// Copy a batch of op(X) column by column, converted to the type of the sums.
template <class Sum>
std::vector<Sum> packed(const void* from, const Layout& layout, std::int32_t operation, std::int32_t batch) {
    const bool plain = operation == MUBLAS_OP_N;
    const std::size_t rows = plain ? layout.rows : layout.columns, columns = plain ? layout.columns : layout.rows;
    const void* const x =
        static_cast<const char*>(from) + layout.stride * batch * static_cast<std::ptrdiff_t>(size_of(layout.type));
    std::vector<Sum> result(rows * columns);
    for (std::size_t column = 0; column < columns; ++column) {
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t at = plain ? element_index(layout, row, column) : element_index(layout, column, row);
            const Sum value = load<Sum>(layout.type, x, at);
            result[row + column * rows] = operation == MUBLAS_OP_C ? mublas::conjugate(value) : value;
        }
    }
    return result;
}

// alpha or beta: a number in host memory, read when the operation is enqueued, or one or several in device memory, read
// when it runs.
template <class Scale>
class Factor {
public:
    enum class Source { host, device, vector, zero };
    using Sum = mublas::Number<Scale>;

    Factor(Source source, const void* at) : source_(source), at_(static_cast<const Scale*>(at)) {
        if (source == Source::host) now_ = mublas::Element<Scale>::number(*at_);
    }
    Sum of_row(std::size_t row) const {
        switch (source_) {
            case Source::device: return mublas::Element<Scale>::number(*at_);
            case Source::vector: return mublas::Element<Scale>::number(at_[row]);
            default: return now_;
        }
    }

private:
    Source source_;
    const Scale* at_;
    Sum now_{};
};

}  // namespace mublas_lt
