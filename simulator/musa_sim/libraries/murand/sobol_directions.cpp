// Joe and Kuo's initial direction numbers, and the recurrence that makes direction vectors of them: S. Joe and F. Y. Kuo,
// "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30, 2635-2654 (2008).
//
// cuRAND's own tables of scrambled vectors are not public. Here a scrambled dimension is the product of the dimension with a
// random lower triangular matrix of bits, which keeps what makes the sequence evenly spread.
#include "sobol_directions.h"

#include <cstdint>
#include <vector>

#include <murand_philox4x32_10.h>

#include "joe_kuo_table.h"

namespace musa_sim {
namespace {

// How many dimensions have a primitive polynomial of degree 1, 2 and so on.
constexpr int dimensions_of_degree[] = {1,   1,   2,   2,   6,    6,    18,   16,   48,
                                        60,  176, 144, 630, 756,  1800, 2048, 7710, 7776};

// Bits of the table, the highest of each character first.
class TableReader {
public:
    std::uint64_t take(int count) {
        std::uint64_t value = 0;
        for (int i = 0; i < count; ++i, ++at_) {
            const int six = value_of(joe_kuo_table[at_ / 6]);
            value = value << 1 | static_cast<unsigned>(six >> (5 - at_ % 6) & 1);
        }
        return value;
    }

private:
    static int value_of(char c) {
        if (c >= 'A' && c <= 'Z') return c - 'A';
        if (c >= 'a' && c <= 'z') return c - 'a' + 26;
        if (c >= '0' && c <= '9') return c - '0' + 52;
        return c == '+' ? 62 : 63;
    }
    std::size_t at_ = 0;
};

// The vectors of a dimension whose polynomial has this degree.
template <class Word>
void read_dimension(TableReader& table, int degree, SobolVectors<Word>& v) {
    constexpr int bits = 8 * sizeof(Word);
    const std::uint64_t polynomial = table.take(degree - 1);  // without its first and last coefficient, which are 1
    for (int i = 0; i < degree; ++i) {
        const auto odd = static_cast<Word>(table.take(i) << 1 | 1);
        v[i] = odd << (bits - 1 - i);
    }
    for (int i = degree; i < bits; ++i) {
        v[i] = v[i - degree] ^ (v[i - degree] >> degree);
        for (int j = 1; j < degree; ++j) {
            if (polynomial >> (degree - 1 - j) & 1) v[i] ^= v[i - j];
        }
    }
}

// Random bits of a dimension, the same in each process.
template <class Word>
Word random_word(unsigned dimension, unsigned which) {
    const uint4 block = musa_sim_detail::philox4x32_10(uint4{dimension, which, sizeof(Word), 0}, uint2{0x50b01u, 0});
    return static_cast<Word>(block.x | static_cast<std::uint64_t>(block.y) << 32);
}

template <class Word>
void scramble(unsigned dimension, SobolVectors<Word>& v) {
    constexpr int bits = 8 * sizeof(Word);
    Word rows[bits];  // of a lower triangular matrix with ones in its diagonal; the highest bit is the first
    for (int r = 0; r < bits; ++r) {
        const Word diagonal = static_cast<Word>(1) << (bits - 1 - r);
        const Word above = static_cast<Word>(~(diagonal | (diagonal - 1)));
        rows[r] = diagonal | (above & random_word<Word>(dimension, 1 + static_cast<unsigned>(r)));
    }
    for (Word& vector : v) {
        Word product = 0;
        for (const Word row : rows) {
            product = product << 1 | static_cast<Word>(__builtin_parityll(row & vector));
        }
        vector = product;
    }
}

template <class Word>
SobolVectors<Word>* make_directions(bool scrambled) {
    auto* all = new SobolVectors<Word>[sobol_dimensions];
    for (int i = 0; i < static_cast<int>(8 * sizeof(Word)); ++i)
        all[0][i] = static_cast<Word>(1) << (8 * sizeof(Word) - 1 - i);
    TableReader table;
    int degree = 1;
    for (unsigned d = 1, of_degree = 0; d < sobol_dimensions; ++d) {
        read_dimension<Word>(table, degree, all[d]);
        if (static_cast<int>(++of_degree) == dimensions_of_degree[degree - 1]) ++degree, of_degree = 0;
    }
    for (unsigned d = 0; scrambled && d < sobol_dimensions; ++d) scramble<Word>(d, all[d]);
    return all;
}

template <class Word>
Word* make_constants() {
    auto* all = new Word[sobol_dimensions];
    for (unsigned d = 0; d < sobol_dimensions; ++d) all[d] = random_word<Word>(d, 0);
    return all;
}

}  // namespace

template <class Word>
SobolVectors<Word>* sobol_directions(bool scrambled) {
    static SobolVectors<Word>* const plain = make_directions<Word>(false);
    if (!scrambled) return plain;
    static SobolVectors<Word>* const mixed = make_directions<Word>(true);
    return mixed;
}

template <class Word>
Word* sobol_constants() {
    static Word* const all = make_constants<Word>();
    return all;
}

template SobolVectors<unsigned>* sobol_directions<unsigned>(bool);
template SobolVectors<unsigned long long>* sobol_directions<unsigned long long>(bool);
template unsigned* sobol_constants<unsigned>();
template unsigned long long* sobol_constants<unsigned long long>();

}  // namespace musa_sim
