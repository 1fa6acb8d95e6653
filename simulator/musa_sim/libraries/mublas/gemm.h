// C = alpha op(A) op(B) + beta C, for any element types.
#pragma once

#include "base/lifetime.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "context.h"
#include "element_arithmetic.h"
#include "tiles.h"

namespace mublas {

struct Shape {
    mublasOperation_t trans_a, trans_b;
    int m, n, k;
    int lda, ldb, ldc;
};

inline mublasStatus check_shape(mublasHandle_t handle, const Shape& s) {
    const mublasStatus status = check_handle(handle);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!is_operation(s.trans_a) || !is_operation(s.trans_b)) return MUBLAS_STATUS_INVALID_VALUE;
    if (s.m < 0 || s.n < 0 || s.k < 0) return MUBLAS_STATUS_INVALID_SIZE;
    const int rows_a = s.trans_a == MUBLAS_OP_N ? s.m : s.k;
    const int rows_b = s.trans_b == MUBLAS_OP_N ? s.k : s.n;
    const bool fits = s.lda >= std::max(1, rows_a) && s.ldb >= std::max(1, rows_b) && s.ldc >= std::max(1, s.m);
    return fits ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INVALID_SIZE;
}

// Element (row, column) of op(X).
template <class T>
Number<T> element(const T* x, int ld, mublasOperation_t operation, int row, int column) {
    const std::size_t at = operation == MUBLAS_OP_N ? row + static_cast<std::size_t>(column) * ld
                                                    : column + static_cast<std::size_t>(row) * ld;
    const Number<T> value = Element<T>::number(x[at]);
    return operation == MUBLAS_OP_C ? conjugate(value) : value;
}

// Four elements of each of four lines: store element p of line i at to[p * width + i].
template <int width, class Number>
[[gnu::always_inline]] inline void turn_four(const Number* from, std::size_t distance, Number* to) {
    typedef Number Four __attribute__((vector_size(4 * sizeof(Number)), aligned(alignof(Number)), may_alias));
    using Index = typename std::conditional<sizeof(Number) == 4, int, long long>::type;
    typedef Index Indices __attribute__((vector_size(4 * sizeof(Number))));
    const Four a = *reinterpret_cast<const Four*>(from), b = *reinterpret_cast<const Four*>(from + distance);
    const Four c = *reinterpret_cast<const Four*>(from + 2 * distance);
    const Four d = *reinterpret_cast<const Four*>(from + 3 * distance);
    const Four ac = __builtin_shuffle(a, c, Indices{0, 4, 1, 5}), bd = __builtin_shuffle(b, d, Indices{0, 4, 1, 5});
    const Four ac2 = __builtin_shuffle(a, c, Indices{2, 6, 3, 7}), bd2 = __builtin_shuffle(b, d, Indices{2, 6, 3, 7});
    *reinterpret_cast<Four*>(to) = __builtin_shuffle(ac, bd, Indices{0, 4, 1, 5});
    *reinterpret_cast<Four*>(to + width) = __builtin_shuffle(ac, bd, Indices{2, 6, 3, 7});
    *reinterpret_cast<Four*>(to + 2 * width) = __builtin_shuffle(ac2, bd2, Indices{0, 4, 1, 5});
    *reinterpret_cast<Four*>(to + 3 * width) = __builtin_shuffle(ac2, bd2, Indices{2, 6, 3, 7});
}

// Convert a strip of `there` lines and store element p of line i at to[p * width + i]; fill up to `width` lines with
// zeros. The elements of a line are `step` apart, the lines `distance`; one of the two is 1.
template <int width, class Sum, class In, class Factor>
[[gnu::always_inline]] inline void pack_strip(const In* from, std::size_t distance, std::size_t step, int there, int count,
                                              Sum* to, Factor factor) {
    if (there < width) std::fill(to, to + static_cast<std::size_t>(count) * width, Sum());
    if (there == width && distance == 1) {
        for (int p = 0; p < count; ++p) {
            for (int i = 0; i < width; ++i) to[p * width + i] = factor(from[p * step + i]);
        }
        return;
    }
    int i = 0;
    if constexpr (std::is_same<In, Sum>::value && std::is_floating_point<In>::value) {
        for (; step == 1 && i + 4 <= there; i += 4) {
            const In* const line = from + i * distance;
            int p = 0;
            for (; p + 4 <= count; p += 4) turn_four<width>(line + p, distance, to + p * width + i);
            for (; p < count; ++p) {
                for (int k = 0; k < 4; ++k) to[p * width + i + k] = line[k * distance + p];
            }
        }
    }
    for (; i < there; ++i) {
        for (int p = 0; p < count; ++p) to[p * width + i] = factor(from[i * distance + p * step]);
    }
}

// Copy elements `first` to `first + count` of lines `begin` to `end` in strips of `width` lines: rows of op(A), or
// columns of op(B).
template <int width, class Sum, class In>
void pack(const In* x, int ld, bool apart, bool conjugated, int begin, int end, int first, int count, Sum* to) {
    const std::size_t distance = apart ? ld : 1, step = apart ? 1 : ld;
    const auto number = [](In value) { return static_cast<Sum>(Element<In>::number(value)); };
    const auto conjugate_number = [](In value) { return static_cast<Sum>(conjugate(Element<In>::number(value))); };
    for (; begin < end; begin += width, to += static_cast<std::size_t>(count) * width) {
        const In* const from = x + begin * distance + first * step;
        const int there = std::min(width, end - begin);
        conjugated ? pack_strip<width>(from, distance, step, there, count, to, conjugate_number)
                   : pack_strip<width>(from, distance, step, there, count, to, number);
    }
}

// Multiply and add the elements of a row. There are so many partial sums that no addition waits for the one before it.
template <class Sum, class In>
Sum dot_product(const In* row, const Sum* vector, int count, bool conjugated) {
    constexpr int lanes = 64 / sizeof(Sum) < 4 ? 4 : 64 / sizeof(Sum);
    const auto factor = [conjugated](In x) {
        const Number<In> number = Element<In>::number(x);
        return static_cast<Sum>(conjugated ? conjugate(number) : number);
    };
    Sum sums[lanes] = {};
    int p = 0;
    for (; p + lanes <= count; p += lanes) {
        for (int i = 0; i < lanes; ++i) sums[i] += factor(row[p + i]) * vector[p + i];
    }
    for (; p < count; ++p) sums[0] += factor(row[p]) * vector[p];
    for (int i = 1; i < lanes; ++i) sums[0] += sums[i];
    return sums[0];
}

// Add `count` columns, each multiplied by an element of a vector, to the sums: four at a time, so that sums are read
// less often.
template <class Sum, class In>
void add_columns(const In* columns, int ld, bool conjugated, const Sum* vector, int count, std::vector<Sum>& sums) {
    const int rows = static_cast<int>(sums.size());
    const auto factor = [conjugated](In x) {
        const Number<In> number = Element<In>::number(x);
        return static_cast<Sum>(conjugated ? conjugate(number) : number);
    };
    const auto column = [columns, ld](int p) { return columns + static_cast<std::size_t>(p) * ld; };
    int p = 0;
    for (; p + 4 <= count; p += 4) {
        const In *const w = column(p), *const x = column(p + 1), *const y = column(p + 2), *const z = column(p + 3);
        const Sum f = vector[p], g = vector[p + 1], h = vector[p + 2], k = vector[p + 3];
        Sum* const to = sums.data();
        for (int i = 0; i < rows; ++i) {
            to[i] += (factor(w[i]) * f + factor(x[i]) * g) + (factor(y[i]) * h + factor(z[i]) * k);
        }
    }
    for (; p < count; ++p) {
        for (int i = 0; i < rows; ++i) sums[i] += factor(column(p)[i]) * vector[p];
    }
}

// C = alpha sum + beta C, for one element.
template <class Out, class Sum>
void finish(Out& target, Sum alpha, Sum sum, Sum beta) {
    Sum value = alpha * sum;
    // If beta is zero, C is not read: it may hold anything, NaN included.
    if (!(beta == Sum())) value = value + beta * static_cast<Sum>(Element<Out>::number(target));
    target = Element<Out>::stored(value);
}

// A product with one column (n = 1) or one row (m = 1): read the matrix once, without packing it.
template <class In, class Out, class Sum>
void multiply_vector(const Shape& s, Sum alpha, const In* a, const In* b, Sum beta, Out* c) {
    const bool column = s.n == 1;
    const In* const matrix = column ? a : b;
    const int ld = column ? s.lda : s.ldb, count = column ? s.m : s.n;
    const mublasOperation_t operation = column ? s.trans_a : s.trans_b;
    const bool conjugated = operation == MUBLAS_OP_C;
    const bool is_row = count == 1 && ld == 1;  // a row with the layout of a column
    const bool by_rows = is_row || (operation == MUBLAS_OP_N) != column;
    constexpr int most = 4096;  // elements of the vector at a time, which stay in the cache
    std::vector<Sum> vector(std::min(most, s.k)), sums(count);
    for (int first = 0; first < s.k; first += most) {
        const int there = std::min(most, s.k - first);
        const Sum* factors = vector.data();
        if constexpr (std::is_same<In, Sum>::value) {
            if (column && s.trans_b == MUBLAS_OP_N) factors = b + first;  // no copy: they are contiguous
        }
        for (int p = 0; factors == vector.data() && p < there; ++p) {
            vector[p] = column ? element(b, s.ldb, s.trans_b, first + p, 0) : element(a, s.lda, s.trans_a, 0, first + p);
        }
        if (!by_rows) {
            add_columns(matrix + static_cast<std::size_t>(first) * ld, ld, conjugated, factors, there, sums);
            continue;
        }
        for (int i = 0; i < count; ++i) {
            const In* const row = matrix + static_cast<std::size_t>(i) * ld + first;
            sums[i] += dot_product(row, factors, there, conjugated);
        }
    }
    for (int i = 0; i < count; ++i) {
        finish(c[column ? i : static_cast<std::size_t>(i) * s.ldc], alpha, sums[i], beta);
    }
}

// The packed matrices. A thread reuses their memory, because allocating it costs more than a small product.
template <class Sum>
struct Packed {
    std::vector<Sum> left, right;
};

// Pack panels of op(A) and op(B) that fit the processor's caches, and multiply them tile by tile. If there is more than
// one panel along k, keep the sums until the last one: in C, if its type holds them without rounding.
template <class In, class Out, class Sum>
class Product {
public:
    Product(const Shape& shape, Sum alpha, const In* a, const In* b, Sum beta, Out* c)
        : s_(shape), alpha_(alpha), beta_(beta), a_(a), b_(b), c_(c) {}

    void run() {
        if (!in_place && s_.k > panel) sums_.resize(static_cast<std::size_t>(s_.m) * s_.n);
        for (int left = 0; left < s_.n; left += wide_block) {
            const int right = std::min(s_.n, left + wide_block);
            int first = 0;
            do {
                const int count = std::min(panel, s_.k - first);
                pack<columns>(b_, s_.ldb, s_.trans_b == MUBLAS_OP_N, s_.trans_b == MUBLAS_OP_C, left, right, first, count,
                              grown(packed_.right, right - left + columns, count));
                for (int top = 0; top < s_.m; top += block) {
                    const int bottom = std::min(s_.m, top + block);
                    pack<rows>(a_, s_.lda, s_.trans_a != MUBLAS_OP_N, s_.trans_a == MUBLAS_OP_C, top, bottom, first, count,
                               grown(packed_.left, bottom - top + rows, count));
                    multiply_block(top, bottom, left, right, first, count);
                }
                first += panel;
            } while (first < s_.k);
        }
    }

private:
    static constexpr int rows = Tile<Sum>::rows, columns = Tile<Sum>::columns;
    static constexpr int panel = 256, block = 256, wide_block = 4096;  // along k, m and n
    static constexpr bool in_place = std::is_same<Out, Sum>::value;

    static Sum* grown(std::vector<Sum>& buffer, int lines, int count) {
        const std::size_t size = static_cast<std::size_t>(lines) * count;
        if (buffer.size() < size) buffer.resize(size);
        return buffer.data();
    }

    void multiply_block(int top, int bottom, int left, int right, int first, int count) {
        for (int y = left; y < right; y += columns) {
            for (int x = top; x < bottom; x += rows) {
                Sum tile[rows * columns] = {};
                multiply_panels(count, packed_.left.data() + static_cast<std::size_t>(x - top) * count,
                                packed_.right.data() + static_cast<std::size_t>(y - left) * count, tile);
                keep_tile(tile, x, std::min(rows, bottom - x), y, std::min(columns, right - y), first, count);
            }
        }
    }

    void keep_tile(Sum* tile, int x, int height, int y, int width, int first, int count) {
        const Sum alpha = alpha_, beta = in_place && first > 0 ? Sum(1) : beta_;
        for (int j = 0; j < width; ++j, tile += rows) {
            Sum* const kept = sums_.data() + static_cast<std::size_t>(y + j) * s_.m + x;
            if (!in_place && first > 0) {
                for (int i = 0; i < height; ++i) tile[i] += kept[i];
            }
            if (!in_place && first + count < s_.k) {
                std::copy(tile, tile + height, kept);
            } else {
                Out* const target = c_ + static_cast<std::size_t>(y + j) * s_.ldc + x;
                for (int i = 0; i < height; ++i) finish(target[i], alpha, tile[i], beta);
            }
        }
    }

    const Shape& s_;
    const Sum alpha_, beta_;
    const In *const a_, *const b_;
    Out* const c_;
    std::vector<Sum> sums_;
    Packed<Sum>& packed_ = musa_sim::PerThread<Packed<Sum>>::get();
};

template <class In, class Out, class Sum>
void gemm(const Shape& s, Sum alpha, const In* a, const In* b, Sum beta, Out* c) {
    if (s.m == 1 || s.n == 1) return multiply_vector(s, alpha, a, b, beta, c);
    Product<In, Out, Sum>(s, alpha, a, b, beta, c).run();
}

}  // namespace mublas
