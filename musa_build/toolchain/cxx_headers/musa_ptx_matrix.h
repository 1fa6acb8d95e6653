/* Tensor-core instructions of PTX: ldmatrix, stmatrix, movmatrix and mma, for `musa-build port`; see musa_ptx.h.
 *
 * Fragments are laid out as "PTX ISA" has them, so code that computes where an element is stays right. All 32 lanes have
 * to come to each function, and exchange registers by shuffles. Numbers: products are exact (bfloat16 and tf32: in the range
 * of float), added in the order of k in float, in double, or in integers; C is added last. NVIDIA does not document its
 * order; results of both are rounded differently.
 */
#ifndef MUSA_BUILD_MUSA_PTX_MATRIX_H
#define MUSA_BUILD_MUSA_PTX_MATRIX_H

#include "musa_ptx_small.h"

#if defined(__MUSACC__)

#if !defined(MUSA_PTX_SHUFFLES) && defined(__has_include)
#if __has_include(<musa_sim/lane_exchange.h>)
#include <musa_sim/lane_exchange.h>
#define MUSA_PTX_LANE_EXCHANGE
#endif
#endif

#define MUSA_PTX_FUNCTION static __device__ __forceinline__

namespace musa_ptx {
namespace matrix {

constexpr unsigned all_lanes = 0xffffffffu;

MUSA_PTX_FUNCTION int lane() { return static_cast<int>(__get_laneid() & 31); }
template <class T>
MUSA_PTX_FUNCTION T of_lane(T value, int source) {
    return __shfl_sync(all_lanes, value, source, 32);
}
template <class T>
MUSA_PTX_FUNCTION T* of_lane(T* value, int source) {
    return reinterpret_cast<T*>(of_lane(reinterpret_cast<unsigned long long>(value), source));
}
/* The registers of all lanes. Only the simulator has another way than shuffles. */
#ifdef MUSA_PTX_LANE_EXCHANGE
template <class Word, int count>
struct registers {
    const __musa_sim_registers<Word, count> all;
    __device__ __forceinline__ explicit registers(const Word (&mine)[count]) : all(mine) {}
    __device__ __forceinline__ Word get(int source, int i) const { return all.of[source][i]; }
};
#else
template <class Word, int count>
struct registers {
    Word mine[count];
    __device__ __forceinline__ explicit registers(const Word (&of_this_lane)[count]) {
        for (int i = 0; i < count; ++i) mine[i] = of_this_lane[i];
    }
    __device__ __forceinline__ Word get(int source, int i) const { return of_lane(mine[i], source); }
};
#endif
/* An instruction reads the operand: the simulator has a check for operands that were never written. */
template <class Element, class Parts>
MUSA_PTX_FUNCTION void read(const Parts& operand) {
#ifdef MUSA_PTX_LANE_EXCHANGE
    __musa_sim_read_operand<Element>(operand);
#endif
}
/* Another lane may change what a lane has read, or read what it wrote, once all have returned. */
MUSA_PTX_FUNCTION void meet() {
#ifdef MUSA_PTX_LANE_EXCHANGE
    __musa_sim_meet_lanes();
#else
    __syncwarp();
#endif
}

/* Matrices of 8 rows with 8 elements of 16 bits. A lane has two neighbours of a row: those of row lane / 4 from column
 * lane % 4 * 2 on. Lane 8 i + r has the address of row r of matrix i. */
#if defined(MUSA_PTX_LANE_EXCHANGE) && !defined(__MUSA_SIM_CHECKED__)
/* The matrices of a warp, read or written by one lane for all. In checked builds each lane does it for itself. */
template <int count, bool transposed, bool loads>
struct matrices : __musa_sim_lane_work {
    unsigned short* row;
    parts_of<unsigned short, 2 * count> elements;

    MUSA_PTX_FUNCTION void run(matrices* const (&lanes)[32]) {
        for (int i = 0; i < count; ++i) {
            for (int r = 0; r < 8; ++r) {
                unsigned short of_row[8];
                if (loads) __builtin_memcpy(of_row, lanes[8 * i + r]->row, sizeof of_row);
                for (int c = 0; c < 8; ++c) {
                    const int outer = transposed ? c : r, inner = transposed ? r : c;
                    unsigned short& element = lanes[4 * outer + inner / 2]->elements.parts[2 * i + inner % 2];
                    if (loads)
                        element = of_row[c];
                    else
                        of_row[c] = element;
                }
                if (!loads) __builtin_memcpy(lanes[8 * i + r]->row, of_row, sizeof of_row);
            }
        }
    }
};
template <int count, bool transposed>
MUSA_PTX_FUNCTION parts_of<unsigned, count> load(const unsigned short* row) {
    matrices<count, transposed, true> mine;
    mine.row = const_cast<unsigned short*>(row);
    __musa_sim_work_together(mine);
    return bits_as<parts_of<unsigned, count>>(mine.elements);
}
template <int count, bool transposed>
MUSA_PTX_FUNCTION void store(unsigned short* row, const parts_of<unsigned, count>& value) {
    matrices<count, transposed, false> mine;
    mine.row = row;
    mine.elements = bits_as<parts_of<unsigned short, 2 * count>>(value);
    __musa_sim_work_together(mine);
}
#else
template <int count, bool transposed>
MUSA_PTX_FUNCTION parts_of<unsigned, count> load(const unsigned short* row) {
    const registers<const unsigned short*, 1> rows({row});
    const int outer = lane() / 4, inner = lane() % 4 * 2;
    parts_of<unsigned, count> result;
    for (int i = 0; i < count; ++i) {
        if constexpr (transposed) {
            const unsigned low = rows.get(8 * i + inner, 0)[outer];
            result.parts[i] = low | static_cast<unsigned>(rows.get(8 * i + inner + 1, 0)[outer]) << 16;
        } else {
            result.parts[i] = *reinterpret_cast<const unsigned*>(rows.get(8 * i + outer, 0) + inner);
        }
    }
    meet();
    return result;
}
template <int count, bool transposed>
MUSA_PTX_FUNCTION void store(unsigned short* row, const parts_of<unsigned, count>& value) {
    const registers<unsigned short*, 1> rows({row});
    const int outer = lane() / 4, inner = lane() % 4 * 2;
    for (int i = 0; i < count; ++i) {
        if constexpr (transposed) {
            rows.get(8 * i + inner, 0)[outer] = static_cast<unsigned short>(value.parts[i]);
            rows.get(8 * i + inner + 1, 0)[outer] = static_cast<unsigned short>(value.parts[i] >> 16);
        } else {
            *reinterpret_cast<unsigned*>(rows.get(8 * i + outer, 0) + inner) = value.parts[i];
        }
    }
    meet();
}
#endif
MUSA_PTX_FUNCTION unsigned transpose(unsigned value) {
    const int outer = lane() / 4, inner = lane() % 4 * 2, shift = outer % 2 * 16;
    const unsigned low = of_lane(value, 4 * inner + outer / 2) >> shift & 0xffff;
    return low | (of_lane(value, 4 * inner + 4 + outer / 2) >> shift & 0xffff) << 16;
}

/* Types of elements: how many a register of 32 bits has, and the number that one of them is. A double has its own. */
struct f16 {
    static constexpr int count = 2;
    MUSA_PTX_FUNCTION float number(unsigned word, int i) { return small::of_half(word >> (16 * i)); }
    MUSA_PTX_FUNCTION unsigned bits(float a) { return small::half_of(a); }
};
struct bf16 {
    static constexpr int count = 2;
    MUSA_PTX_FUNCTION float number(unsigned word, int i) { return __uint_as_float(word >> (16 * i) << 16); }
};
/* The 13 lower bits have no meaning. */
struct tf32 {
    static constexpr int count = 1;
    MUSA_PTX_FUNCTION float number(unsigned word, int) { return __uint_as_float(word & 0xffffe000u); }
};
template <class Code>
struct of_bytes {
    static constexpr int count = 4;
    MUSA_PTX_FUNCTION float number(unsigned word, int i) { return Code::number(word >> (8 * i) & 0xff); }
};
using e5m2 = of_bytes<small::e5m2>;
using e4m3 = of_bytes<small::e4m3>;
struct f64 {
    static constexpr int count = 1;
    MUSA_PTX_FUNCTION double number(double word, int) { return word; }
};
template <int bits, bool has_sign>
struct integer {
    static constexpr int count = 32 / bits;
    MUSA_PTX_FUNCTION int number(unsigned word, int i) {
        const unsigned top = word << (32 - bits - bits * i);
        return has_sign ? static_cast<int>(top) >> (32 - bits) : static_cast<int>(top >> (32 - bits));
    }
};
using s8 = integer<8, true>;
using u8 = integer<8, false>;
using s4 = integer<4, true>;
using u4 = integer<4, false>;

/* The elements of two registers, multiplied and added to a sum. A register has `steps` factors, one for each step of the sum. */
template <class A, class B>
struct products {
    static constexpr int count = A::count, steps = count;
    using number = decltype(A::number({}, 0));
    template <class Word>
    MUSA_PTX_FUNCTION number factor_a(Word word, int i) {
        return A::number(word, i);
    }
    template <class Word>
    MUSA_PTX_FUNCTION number factor_b(Word word, int i) {
        return B::number(word, i);
    }
    template <class Sum>
    MUSA_PTX_FUNCTION Sum added(Sum sum, number a, number b) {
        return sum + a * b;
    }
};
struct bits {
    static constexpr int count = 32, steps = 1;
    using number = bool;
    MUSA_PTX_FUNCTION unsigned factor_a(unsigned word, int) { return word; }
    MUSA_PTX_FUNCTION unsigned factor_b(unsigned word, int) { return word; }
};
struct bits_and : bits {
    MUSA_PTX_FUNCTION int added(int sum, unsigned a, unsigned b) { return sum + __popc(a & b); }
};
struct bits_xor : bits {
    MUSA_PTX_FUNCTION int added(int sum, unsigned a, unsigned b) { return sum + __popc(a ^ b); }
};

/* The products of shape m x 8 x k. A lane has of A the rows lane / 4 and 8 below it, of B the column lane / 4, of both in each
 * register `count` elements from k = lane % 4 * count on, and the next ones beyond those of the four lanes. Of C and D it has
 * the columns lane % 4 * 2 and the next of A's rows. */
template <int m, int k, int count>
struct fragments {
    static constexpr int row_blocks = m / 8, k_blocks = k / (4 * count), sums = 2 * row_blocks;
    template <class Word>
    using a = parts_of<Word, row_blocks * k_blocks>;
    template <class Word>
    using b = parts_of<Word, k_blocks>;
    template <class Sum>
    using c = parts_of<Sum, sums>;
};
#ifdef MUSA_PTX_LANE_EXCHANGE
/* The product of a warp, computed by one lane for all. */
template <class Sum, class Operation, int m, int k, class Word>
struct whole_product : __musa_sim_lane_work {
    using shape = fragments<m, k, Operation::count>;
    using factor = decltype(Operation::factor_a(Word(), 0));
    typename shape::template a<Word> a;
    typename shape::template b<Word> b;
    parts_of<Sum, m / 4> sums;

    MUSA_PTX_FUNCTION void run(whole_product* const (&lanes)[32]) {
        constexpr int steps = Operation::steps, all_steps = 4 * shape::k_blocks * steps;
        factor rows_of_a[m][all_steps], rows_of_b[all_steps][8];
        for (int lane = 0; lane < 32; ++lane) {
            for (int block = 0; block < shape::k_blocks; ++block) {
                const int first = (4 * block + lane % 4) * steps;
                for (int i = 0; i < steps; ++i) {
                    for (int row = 0; row < shape::row_blocks; ++row)
                        rows_of_a[8 * row + lane / 4][first + i] =
                            Operation::factor_a(lanes[lane]->a.parts[shape::row_blocks * block + row], i);
                    rows_of_b[first + i][lane / 4] = Operation::factor_b(lanes[lane]->b.parts[block], i);
                }
            }
        }
        for (int row = 0; row < m; ++row) {
            Sum of_row[8] = {};
            for (int step = 0; step < all_steps; ++step)
                for (int column = 0; column < 8; ++column)
                    of_row[column] = Operation::added(of_row[column], rows_of_a[row][step], rows_of_b[step][column]);
            for (int column = 0; column < 8; ++column)
                lanes[row % 8 * 4 + column / 2]->sums.parts[row / 8 * 2 + column % 2] = of_row[column];
        }
    }
};
#endif
template <class Sum, class Operation, int m, int k, class Word>
MUSA_PTX_FUNCTION parts_of<Sum, m / 4> summed(
    const typename fragments<m, k, Operation::count>::template a<Word>& a,
    const typename fragments<m, k, Operation::count>::template b<Word>& b) {
    read<typename Operation::number>(a);
    read<typename Operation::number>(b);
#ifdef MUSA_PTX_LANE_EXCHANGE
    whole_product<Sum, Operation, m, k, Word> mine;
    mine.a = a;
    mine.b = b;
    __musa_sim_work_together(mine);
    return mine.sums;
#else
    using shape = fragments<m, k, Operation::count>;
    const int quad = lane() & ~3, column = lane() % 4 * 8;
    parts_of<Sum, m / 4> result = {};
    for (int block = 0; block < shape::k_blocks; ++block) {
        for (int i = 0; i < 4; ++i) {
            const Word of_b[2] = {of_lane(b.parts[block], column + i), of_lane(b.parts[block], column + 4 + i)};
            for (int row = 0; row < shape::row_blocks; ++row) {
                const Word of_a = of_lane(a.parts[shape::row_blocks * block + row], quad + i);
                for (int j = 0; j < 2; ++j)
                    for (int step = 0; step < Operation::steps; ++step)
                        result.parts[2 * row + j] =
                            Operation::added(result.parts[2 * row + j], Operation::factor_a(of_a, step),
                                             Operation::factor_b(of_b[j], step));
            }
        }
    }
    return result;
#endif
}

template <int m, int k, class A, class B>
MUSA_PTX_FUNCTION parts_of<float, m / 4> multiply_f32(const typename fragments<m, k, A::count>::template a<unsigned>& a,
                                                      const typename fragments<m, k, A::count>::template b<unsigned>& b,
                                                      const parts_of<float, m / 4>& c) {
    parts_of<float, m / 4> d = summed<float, products<A, B>, m, k, unsigned>(a, b);
    read<float>(c);
    for (int i = 0; i < m / 4; ++i) d.parts[i] += c.parts[i];
    return d;
}
/* C and D have two halves in a register. */
template <int m, int k, class A, class B>
MUSA_PTX_FUNCTION parts_of<unsigned, m / 8> multiply_f16(
    const typename fragments<m, k, A::count>::template a<unsigned>& a,
    const typename fragments<m, k, A::count>::template b<unsigned>& b, const parts_of<unsigned, m / 8>& c) {
    const parts_of<float, m / 4> sums = summed<float, products<A, B>, m, k, unsigned>(a, b);
    read<float>(c);
    parts_of<unsigned, m / 8> d;
    for (int i = 0; i < m / 8; ++i)
        d.parts[i] = f16::bits(sums.parts[2 * i] + f16::number(c.parts[i], 0)) |
                     f16::bits(sums.parts[2 * i + 1] + f16::number(c.parts[i], 1)) << 16;
    return d;
}
template <int m, int k>
MUSA_PTX_FUNCTION parts_of<double, m / 4> multiply_f64(const typename fragments<m, k, 1>::template a<double>& a,
                                                       const typename fragments<m, k, 1>::template b<double>& b,
                                                       const parts_of<double, m / 4>& c) {
    parts_of<double, m / 4> d = summed<double, products<f64, f64>, m, k, double>(a, b);
    read<double>(c);
    for (int i = 0; i < m / 4; ++i) d.parts[i] += c.parts[i];
    return d;
}
/* The sum of products fits into an integer; with C it is limited, or wraps around. */
template <int m, int k, class Operation, bool is_limited>
MUSA_PTX_FUNCTION parts_of<int, m / 4> add_s32(
    const typename fragments<m, k, Operation::count>::template a<unsigned>& a,
    const typename fragments<m, k, Operation::count>::template b<unsigned>& b, const parts_of<int, m / 4>& c) {
    parts_of<int, m / 4> d = summed<int, Operation, m, k, unsigned>(a, b);
    read<int>(c);
    for (int i = 0; i < m / 4; ++i) {
        const long long sum = static_cast<long long>(d.parts[i]) + c.parts[i];
        d.parts[i] = is_limited ? saturate<int>(sum) : static_cast<int>(sum);
    }
    return d;
}
template <int m, int k, class A, class B, bool is_limited>
MUSA_PTX_FUNCTION parts_of<int, m / 4> multiply_s32(
    const typename fragments<m, k, A::count>::template a<unsigned>& a,
    const typename fragments<m, k, A::count>::template b<unsigned>& b, const parts_of<int, m / 4>& c) {
    return add_s32<m, k, products<A, B>, is_limited>(a, b, c);
}

/* m8n8k4 of halves is four products, each of eight lanes: i and i + 16 for four i. A lane has four elements of A, a row or a part
 * of a column, and of B a column or a part of a row. */
enum layout { row, col };
template <layout of_a, layout of_b>
struct four_products {
    unsigned a[8][2], b[8][2];

    __device__ __forceinline__ four_products(const parts_of<unsigned, 2>& mine_of_a, const parts_of<unsigned, 2>& mine_of_b) {
        read<float>(mine_of_a);
        read<float>(mine_of_b);
        const registers<unsigned, 4> all({mine_of_a.parts[0], mine_of_a.parts[1], mine_of_b.parts[0], mine_of_b.parts[1]});
        for (int i = 0; i < 8; ++i) {
            const int source = (lane() & 12) + (i & 3) + (i & 4) * 4;
            for (int j = 0; j < 2; ++j) {
                a[i][j] = all.get(source, j);
                b[i][j] = all.get(source, 2 + j);
            }
        }
    }
    __device__ __forceinline__ float sum(int r, int c) const {
        float result = 0;
        for (int k = 0; k < 4; ++k) {
            const float x = of_a == row ? element(a, r, k) : element(a, (r & 4) + k, r & 3);
            const float y = of_b == col ? element(b, c, k) : element(b, (c & 4) + k, c & 3);
            result += x * y;
        }
        return result;
    }

private:
    MUSA_PTX_FUNCTION float element(const unsigned (&of)[8][2], int holder, int i) {
        return f16::number(of[holder][i / 2], i % 2);
    }
};
template <layout of_a, layout of_b>
MUSA_PTX_FUNCTION parts_of<float, 8> multiply_four_f32(const parts_of<unsigned, 2>& a, const parts_of<unsigned, 2>& b,
                                                       const parts_of<float, 8>& c) {
    const four_products<of_a, of_b> all(a, b);
    read<float>(c);
    parts_of<float, 8> d;
    for (int i = 0; i < 8; ++i)
        d.parts[i] = all.sum((lane() & 1) + (i & 2) + (lane() & 16) / 4, (i & 4) + (lane() & 2) + (i & 1)) + c.parts[i];
    return d;
}
template <layout of_a, layout of_b>
MUSA_PTX_FUNCTION parts_of<unsigned, 4> multiply_four_f16(const parts_of<unsigned, 2>& a, const parts_of<unsigned, 2>& b,
                                                          const parts_of<unsigned, 4>& c) {
    const four_products<of_a, of_b> all(a, b);
    read<float>(c);
    const int r = (lane() & 3) + (lane() & 16) / 4;
    parts_of<unsigned, 4> d;
    for (int i = 0; i < 4; ++i)
        d.parts[i] = f16::bits(all.sum(r, 2 * i) + f16::number(c.parts[i], 0)) |
                     f16::bits(all.sum(r, 2 * i + 1) + f16::number(c.parts[i], 1)) << 16;
    return d;
}

}  // namespace matrix
}  // namespace musa_ptx

#undef MUSA_PTX_LANE_EXCHANGE
#undef MUSA_PTX_FUNCTION

#endif

#endif
