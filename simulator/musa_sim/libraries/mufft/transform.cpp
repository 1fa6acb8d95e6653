#include "transform.h"

#include "base/lifetime.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#define MUFFT_INLINE [[gnu::always_inline]] inline

namespace mufft {

namespace {

constexpr long double two_pi = 6.283185307179586476925286766559L;
// A prime factor p costs p multiplications per element; above this, Bluestein's three transforms are cheaper.
constexpr std::size_t largest_plain_factor = 64;

std::size_t smallest_factor(std::size_t n) {
    for (std::size_t p = 2; p * p <= n; ++p) {
        if (n % p == 0) return p;
    }
    return n;
}

std::size_t largest_factor(std::size_t n) {
    std::size_t p = 1;
    for (; n > 1; n /= p) p = smallest_factor(n);
    return p;
}

// An angle rounded to double would cost more digits than the whole transform.
std::complex<double> root(std::size_t k, std::size_t n) {
    const long double angle = -two_pi * static_cast<long double>(k) / static_cast<long double>(n);
    return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

template <class Number>
struct Factor {
    Number re, im;

    Factor() = default;
    Factor(std::complex<double> value)
        : re(static_cast<Number>(value.real())), im(static_cast<Number>(value.imag())) {}
};

// A step of the transform: `parts` times `stride` transforms of size `radix`, whose results are turned by `factors`.
template <class Number>
struct Stage {
    std::size_t radix, parts, stride;
    std::vector<Factor<Number>> factors;  // of each part but the first, whose factor is 1
    std::vector<Factor<Number>> roots;  // roots of 1, for radices without code of their own
};

// Transform real lines of an even size as complex lines of half the size.
std::size_t complex_size(std::size_t size, TransformKind kind) {
    return kind != TransformKind::complex && size % 2 == 0 ? size / 2 : size;
}

}  // namespace

template <class Number>
struct Tables {
    std::vector<Stage<Number>> stages;
    std::vector<Factor<Number>> half_roots;  // exp(-2 pi i k / (2 size))
    // For sizes with a large prime factor (Bluestein): the chirp, the transform of its convolution partner, and tables
    // for the power of two of the convolution.
    std::vector<Factor<Number>> chirp, folded_with;
    std::shared_ptr<const Tables> power_of_two;
    std::size_t size;

    explicit Tables(std::size_t n);

    // Return the tables of a size; keep them unless they are large.
    static std::shared_ptr<const Tables> of(std::size_t size) {
        constexpr std::size_t largest = 1 << 16, most = 64;
        static auto& mutex = musa_sim::leaked<std::mutex>();
        static auto& kept = musa_sim::leaked<std::map<std::size_t, std::shared_ptr<const Tables>>>();
        {
            std::lock_guard<std::mutex> lock(mutex);
            const auto found = kept.find(size);
            if (found != kept.end()) return found->second;
        }
        auto made = std::make_shared<const Tables>(size);
        std::lock_guard<std::mutex> lock(mutex);
        if (kept.size() >= most) kept.clear();
        if (size <= largest) kept[size] = made;
        return made;
    }
};

template <class Number>
Tables<Number>::Tables(std::size_t n) : size(n) {
    if (largest_factor(n) > largest_plain_factor) {
        // jk = (j^2 + k^2 - (j - k)^2) / 2 makes the sum one of x[j] c[j] against a function of j - k, where c is the
        // chirp. Squares are taken modulo 2 n, so that the angle stays small.
        std::size_t wide = 1;
        while (wide < 2 * n - 1) wide *= 2;
        power_of_two = of(wide);
        std::vector<std::complex<double>> folded(wide);
        for (std::size_t k = 0; k < n; ++k) {
            const std::complex<double> value = root(k * k % (2 * n), 2 * n);
            chirp.emplace_back(value);
            folded[k] = folded[(wide - k) % wide] = std::conj(value) / static_cast<double>(wide);
        }
        Lines<double, double> lines(wide, TransformKind::complex, false);
        double* const at = reinterpret_cast<double*>(folded.data());
        const double* from[Lines<double, double>::at_once];
        for (const double*& line : from) line = at;
        lines(from, 2, &at, 2, 1);
        folded_with.assign(folded.begin(), folded.end());
    }
    std::vector<std::complex<double>> roots;
    for (std::size_t k = 0; k < 2 * n; ++k) roots.push_back(root(k, 2 * n));
    half_roots.assign(roots.begin(), roots.end());
    std::size_t stride = 1;
    for (std::size_t rest = n; rest > 1 && chirp.empty();) {
        const std::size_t radix = rest % 4 == 0 ? 4 : smallest_factor(rest);
        Stage<Number> stage{radix, rest / radix, stride, {}, {}};
        for (std::size_t p = 0; p < stage.parts; ++p) {
            for (std::size_t j = 1; j < radix; ++j) stage.factors.emplace_back(roots[2 * stride * p * j % (2 * n)]);
        }
        for (std::size_t k = 0; k < radix; ++k) stage.roots.emplace_back(root(k, radix));
        stages.push_back(std::move(stage));
        stride *= radix;
        rest /= radix;
    }
}

bool needs_double(std::size_t size, TransformKind kind) { return largest_factor(complex_size(size, kind)) > largest_plain_factor; }

// The vector code. All of it is inlined into two functions, one of them for processors with AVX2.
template <class Element, class Number>
struct Lines<Element, Number>::Code {
    static constexpr int n = at_once;
    typedef Number Loose __attribute__((vector_size(32), aligned(alignof(Number)), may_alias));

    MUFFT_INLINE static void interleave(const Vector& a, const Vector& b, Vector& low, Vector& high) {
        if constexpr (sizeof(Number) == 4) {
            typedef int Indices __attribute__((vector_size(32)));
            low = __builtin_shuffle(a, b, Indices{0, 8, 1, 9, 2, 10, 3, 11});
            high = __builtin_shuffle(a, b, Indices{4, 12, 5, 13, 6, 14, 7, 15});
        } else {
            typedef long long Indices __attribute__((vector_size(32)));
            low = __builtin_shuffle(a, b, Indices{0, 4, 1, 5});
            high = __builtin_shuffle(a, b, Indices{2, 6, 3, 7});
        }
    }
    MUFFT_INLINE static void part(const Vector& a, const Vector& b, Vector& even, Vector& odd) {
        if constexpr (sizeof(Number) == 4) {
            typedef int Indices __attribute__((vector_size(32)));
            even = __builtin_shuffle(a, b, Indices{0, 2, 4, 6, 8, 10, 12, 14});
            odd = __builtin_shuffle(a, b, Indices{1, 3, 5, 7, 9, 11, 13, 15});
        } else {
            typedef long long Indices __attribute__((vector_size(32)));
            even = __builtin_shuffle(a, b, Indices{0, 2, 4, 6});
            odd = __builtin_shuffle(a, b, Indices{1, 3, 5, 7});
        }
    }
    // Each round rotates the bits of all indices by one; after the last round, rows are columns.
    MUFFT_INLINE static void transpose(Vector* v) {
        for (int round = 1; round < n; round *= 2) {
            Vector turned[n];
            for (int i = 0; i < n / 2; ++i) interleave(v[i], v[i + n / 2], turned[2 * i], turned[2 * i + 1]);
            for (int i = 0; i < n; ++i) v[i] = turned[i];
        }
    }

    template <class Pointer>
    MUFFT_INLINE static bool are_adjacent(const Pointer* lines) {
        for (int i = 1; i < n; ++i) {
            if (lines[i] != lines[0] + 2 * i) return false;
        }
        return true;
    }

    // Read `count` pairs of each line; the second number of a pair is `second` after the first.
    MUFFT_INLINE static void load(const Element* const* lines, std::size_t step, std::size_t second, std::size_t count,
                                  bool swapped, Pair* to) {
        std::size_t j = 0;
        if constexpr (std::is_same<Element, Number>::value) {
            if (second == 1 && are_adjacent(lines)) {
                for (; j < count; ++j) {
                    const auto* const at = reinterpret_cast<const Loose*>(lines[0] + j * step);
                    const Vector low = at[0], high = at[1];
                    Vector re, im;
                    part(low, high, re, im);
                    to[j] = swapped ? Pair{im, re} : Pair{re, im};
                }
            } else if (second == 1 && step == 2) {
                for (; j + n / 2 <= count; j += n / 2) {
                    Vector v[n];
                    for (int i = 0; i < n; ++i) v[i] = *reinterpret_cast<const Loose*>(lines[i] + 2 * j);
                    transpose(v);
                    for (int i = 0; i < n / 2; ++i) {
                        to[j + i] = swapped ? Pair{v[2 * i + 1], v[2 * i]} : Pair{v[2 * i], v[2 * i + 1]};
                    }
                }
            }
        }
        for (; j < count; ++j) {
            for (int i = 0; i < n; ++i) {
                const Element* const at = lines[i] + j * step;
                (swapped ? to[j].im : to[j].re)[i] = static_cast<Number>(at[0]);
                (swapped ? to[j].re : to[j].im)[i] = static_cast<Number>(at[second]);
            }
        }
    }
    MUFFT_INLINE static void load_real(const Element* const* lines, std::size_t step, std::size_t count, Pair* to) {
        for (std::size_t j = 0; j < count; ++j) {
            to[j].im = Vector{};
            for (int i = 0; i < n; ++i) to[j].re[i] = static_cast<Number>(lines[i][j * step]);
        }
    }

    MUFFT_INLINE static void store(const Pair* from, std::size_t count, bool swapped, Element* const* lines,
                                   std::size_t step, std::size_t second, int there) {
        std::size_t j = 0;
        if constexpr (std::is_same<Element, Number>::value) {
            if (second == 1 && there == n && are_adjacent(lines)) {
                for (; j < count; ++j) {
                    auto* const at = reinterpret_cast<Loose*>(lines[0] + j * step);
                    Vector low, high;
                    interleave(swapped ? from[j].im : from[j].re, swapped ? from[j].re : from[j].im, low, high);
                    at[0] = low;
                    at[1] = high;
                }
            } else if (second == 1 && step == 2) {
                for (; j + n / 2 <= count; j += n / 2) {
                    Vector v[n];
                    for (int i = 0; i < n / 2; ++i) {
                        v[2 * i] = swapped ? from[j + i].im : from[j + i].re;
                        v[2 * i + 1] = swapped ? from[j + i].re : from[j + i].im;
                    }
                    transpose(v);
                    for (int i = 0; i < there; ++i) *reinterpret_cast<Loose*>(lines[i] + 2 * j) = v[i];
                }
            }
        }
        for (; j < count; ++j) {
            for (int i = 0; i < there; ++i) {
                Element* const at = lines[i] + j * step;
                at[0] = static_cast<Element>((swapped ? from[j].im : from[j].re)[i]);
                at[second] = static_cast<Element>((swapped ? from[j].re : from[j].im)[i]);
            }
        }
    }
    MUFFT_INLINE static void store_imaginary(const Pair* from, std::size_t count, Element* const* lines,
                                             std::size_t step, int there) {
        for (std::size_t j = 0; j < count; ++j) {
            for (int i = 0; i < there; ++i) lines[i][j * step] = static_cast<Element>(from[j].im[i]);
        }
    }

    MUFFT_INLINE static Pair sum(const Pair& a, const Pair& b) { return {a.re + b.re, a.im + b.im}; }
    MUFFT_INLINE static Pair difference(const Pair& a, const Pair& b) { return {a.re - b.re, a.im - b.im}; }
    // a - i b and a + i b
    MUFFT_INLINE static Pair below(const Pair& a, const Pair& b) { return {a.re + b.im, a.im - b.re}; }
    MUFFT_INLINE static Pair above(const Pair& a, const Pair& b) { return {a.re - b.im, a.im + b.re}; }
    MUFFT_INLINE static Pair scaled(const Pair& a, Number f) { return {a.re * f, a.im * f}; }
    MUFFT_INLINE static Pair product(const Pair& a, const Factor<Number>& f) {
        return {a.re * f.re - a.im * f.im, a.re * f.im + a.im * f.re};
    }

    template <int radix>
    MUFFT_INLINE static void butterfly(Pair* a) {
        if constexpr (radix == 2) {
            const Pair first = a[0];
            a[0] = sum(first, a[1]);
            a[1] = difference(first, a[1]);
        } else if constexpr (radix == 3) {
            constexpr Number sine = 0.86602540378443864676372317075293618L;
            const Pair both = sum(a[1], a[2]), turned = scaled(difference(a[1], a[2]), sine);
            const Pair middle = difference(a[0], scaled(both, Number(0.5)));
            a[0] = sum(a[0], both);
            a[1] = below(middle, turned);
            a[2] = above(middle, turned);
        } else if constexpr (radix == 4) {
            const Pair even = sum(a[0], a[2]), even_odd = difference(a[0], a[2]);
            const Pair odd = sum(a[1], a[3]), odd_odd = difference(a[1], a[3]);
            a[0] = sum(even, odd);
            a[1] = below(even_odd, odd_odd);
            a[2] = difference(even, odd);
            a[3] = above(even_odd, odd_odd);
        } else {
            static_assert(radix == 5, "the others have no code of their own");
            constexpr Number cosine1 = 0.30901699437494742410229341718281906L;
            constexpr Number cosine2 = -0.80901699437494742410229341718281906L;
            constexpr Number sine1 = 0.95105651629515357211643933337938214L;
            constexpr Number sine2 = 0.58778525229247312916870595463907277L;
            const Pair outer = sum(a[1], a[4]), outer_odd = difference(a[1], a[4]);
            const Pair inner = sum(a[2], a[3]), inner_odd = difference(a[2], a[3]);
            const Pair middle1 = sum(a[0], sum(scaled(outer, cosine1), scaled(inner, cosine2)));
            const Pair middle2 = sum(a[0], sum(scaled(outer, cosine2), scaled(inner, cosine1)));
            const Pair turned1 = sum(scaled(outer_odd, sine1), scaled(inner_odd, sine2));
            const Pair turned2 = difference(scaled(outer_odd, sine2), scaled(inner_odd, sine1));
            a[0] = sum(a[0], sum(outer, inner));
            a[1] = below(middle1, turned1);
            a[4] = above(middle1, turned1);
            a[2] = below(middle2, turned2);
            a[3] = above(middle2, turned2);
        }
    }

    // Stockham's algorithm: a stage writes its results in the order in which the next one reads them.
    template <int radix>
    MUFFT_INLINE static void run_stage(const Stage<Number>& stage, const Pair* x, Pair* y) {
        const std::size_t parts = stage.parts, stride = stage.stride;
        const Factor<Number>* factors = stage.factors.data();
        for (std::size_t p = 0; p < parts; ++p, factors += radix - 1) {
            const Pair* const from = x + stride * p;
            Pair* const to = y + stride * radix * p;
            for (std::size_t q = 0; q < stride; ++q) {
                Pair a[radix];
                for (int k = 0; k < radix; ++k) a[k] = from[q + stride * parts * k];
                butterfly<radix>(a);
                to[q] = a[0];
                for (int k = 1; k < radix; ++k) to[q + stride * k] = p == 0 ? a[k] : product(a[k], factors[k - 1]);
            }
        }
    }
    MUFFT_INLINE static void run_any_stage(const Stage<Number>& stage, const Pair* x, Pair* y) {
        const std::size_t parts = stage.parts, stride = stage.stride, radix = stage.radix;
        const Factor<Number>* factors = stage.factors.data();
        for (std::size_t p = 0; p < parts; ++p, factors += radix - 1) {
            for (std::size_t q = 0; q < stride; ++q) {
                const Pair* const from = x + stride * p + q;
                Pair* const to = y + stride * radix * p + q;
                for (std::size_t j = 0; j < radix; ++j) {
                    Pair total = from[0];
                    for (std::size_t k = 1, at = j; k < radix; ++k, at = at + j < radix ? at + j : at + j - radix) {
                        total = sum(total, product(from[stride * parts * k], stage.roots[at]));
                    }
                    to[stride * j] = j == 0 ? total : product(total, factors[j - 1]);
                }
            }
        }
    }

    // Transform x with y as buffer of the same size; return the one that holds the result.
    MUFFT_INLINE static Pair* run_stages(const Tables<Number>& tables, Pair* x, Pair* y) {
        for (const Stage<Number>& stage : tables.stages) {
            switch (stage.radix) {
                case 2: run_stage<2>(stage, x, y); break;
                case 3: run_stage<3>(stage, x, y); break;
                case 4: run_stage<4>(stage, x, y); break;
                case 5: run_stage<5>(stage, x, y); break;
                default: run_any_stage(stage, x, y);
            }
            Pair* const read = x;
            x = y;
            y = read;
        }
        return x;
    }
    MUFFT_INLINE static Pair* transform(const Tables<Number>& tables, Pair* x, Pair* y) {
        const bool folds = !tables.chirp.empty();
        const Tables<Number>& stages = folds ? *tables.power_of_two : tables;
        const std::size_t size = tables.size, wide = stages.size;
        if (folds) {
            for (std::size_t j = 0; j < size; ++j) x[j] = product(x[j], tables.chirp[j]);
            for (std::size_t j = size; j < wide; ++j) x[j] = Pair{};
        }
        for (int turn = 0;; ++turn) {
            Pair* const made = run_stages(stages, x, y);
            if (!folds) return made;
            if (made != x) std::swap(x, y);
            for (std::size_t k = 0; k < (turn == 0 ? wide : size); ++k) {
                // The inverse is the same transform with real and imaginary parts swapped.
                const Pair value = turn == 0 ? product(x[k], tables.folded_with[k])
                                             : product(Pair{x[k].im, x[k].re}, tables.chirp[k]);
                x[k] = turn == 0 ? Pair{value.im, value.re} : value;
            }
            if (turn == 1) return x;
        }
    }

    // Separate the first half of the transform of real lines from the transform of their pairs.
    MUFFT_INLINE static void part_halves(const Tables<Number>& tables, const Pair* z, Pair* to) {
        const std::size_t size = tables.size;
        for (std::size_t k = 0; k <= size; ++k) {
            const Pair& a = z[k == size ? 0 : k];
            const Pair& b = z[k == 0 ? 0 : size - k];
            const Pair even = scaled({a.re + b.re, a.im - b.im}, Number(0.5));
            const Pair odd = scaled({a.im + b.im, b.re - a.re}, Number(0.5));
            to[k] = sum(even, product(odd, tables.half_roots[k]));
        }
    }
    // The inverse of part_halves, doubled, with real and imaginary parts swapped.
    MUFFT_INLINE static void join_halves(const Tables<Number>& tables, Pair* half, Pair* to) {
        const std::size_t size = tables.size;
        half[0].im = half[size].im = Vector{};
        for (std::size_t k = 0; k < size; ++k) {
            const Pair &a = half[k], &b = half[size - k];
            const Pair even{a.re + b.re, a.im - b.im}, both{a.re - b.re, a.im + b.im};
            const Factor<Number>& root = tables.half_roots[k];
            const Pair odd{both.re * root.re + both.im * root.im, both.im * root.re - both.re * root.im};
            to[k] = {even.im + odd.re, even.re - odd.im};
        }
    }

    // Complete a transform of odd size from its first half, with real and imaginary parts swapped.
    MUFFT_INLINE static void mirror(const Pair* half, std::size_t size, Pair* to) {
        for (std::size_t k = 1; k <= size / 2; ++k) {
            to[k] = {half[k].im, half[k].re};
            to[size - k] = {-half[k].im, half[k].re};
        }
        to[0] = {Vector{}, half[0].re};
    }

    MUFFT_INLINE static void run(Lines& lines, const Element* const* from, std::size_t from_step, Element* const* to,
                                 std::size_t to_step, int there) {
        const Tables<Number>& tables = *lines.tables_;
        const std::size_t size = lines.size_, half = size / 2;
        const bool even = size % 2 == 0;
        Pair *const x = lines.x_.data(), *const y = lines.y_.data();
        if (lines.kind_ == TransformKind::complex) {
            load(from, from_step, 1, size, lines.inverse_, x);
        } else if (lines.kind_ == TransformKind::to_half) {
            even ? load(from, 2 * from_step, from_step, half, false, x) : load_real(from, from_step, size, x);
        } else {
            load(from, from_step, 1, half + 1, false, y);
            even ? join_halves(tables, y, x) : mirror(y, size, x);
        }
        Pair* made = transform(tables, x, y);  // called once: it is inlined, and compiles for seconds
        if (lines.kind_ == TransformKind::complex) {
            store(made, size, lines.inverse_, to, to_step, 1, there);
        } else if (lines.kind_ == TransformKind::to_half) {
            if (even) {
                Pair* const other = made == x ? y : x;
                part_halves(tables, made, other);
                made = other;
            }
            store(made, half + 1, false, to, to_step, 1, there);
        } else if (even) {
            store(made, half, true, to, 2 * to_step, to_step, there);
        } else {
            store_imaginary(made, size, to, to_step, there);
        }
    }
    __attribute__((target("avx2,fma"))) static void run_wide(Lines& lines, const Element* const* from,
                                                             std::size_t from_step, Element* const* to,
                                                             std::size_t to_step, int there) {
        run(lines, from, from_step, to, to_step, there);
    }
    static void run_narrow(Lines& lines, const Element* const* from, std::size_t from_step, Element* const* to,
                           std::size_t to_step, int there) {
        run(lines, from, from_step, to, to_step, there);
    }
};

template <class Element, class Number>
Lines<Element, Number>::Lines(std::size_t size, TransformKind kind, bool inverse)
    : size_(size), kind_(kind), inverse_(inverse), tables_(Tables<Number>::of(complex_size(size, kind))) {
    const std::size_t wide = tables_->power_of_two ? tables_->power_of_two->size : 0;
    x_.resize(std::max(size, wide) + 1);
    y_.resize(x_.size());
}

template <class Element, class Number>
void Lines<Element, Number>::operator()(const Element* const* from, std::size_t from_step, Element* const* to,
                                        std::size_t to_step, int there) {
    static const bool is_wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    (is_wide ? Code::run_wide : Code::run_narrow)(*this, from, from_step, to, to_step, there);
}

template class Lines<float, float>;
template class Lines<float, double>;
template class Lines<double, double>;

}  // namespace mufft
