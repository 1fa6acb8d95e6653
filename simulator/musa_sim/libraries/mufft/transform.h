// Discrete Fourier transforms of any size, several lines at a time: each lane of a vector register holds a number of
// one line.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace mufft {

// Both sides are complex, or one is real; then the other one is the first half of its transform.
enum class TransformKind { complex, to_half, from_half };

// Return whether a size has a large prime factor: such transforms consist of three others, and are computed in double.
bool needs_double(std::size_t size, TransformKind kind);

template <class Number>
struct Tables;

// Lines of real numbers of type Element in memory, computed in Number.
template <class Element, class Number>
class Lines {
public:
    static constexpr int at_once = 32 / sizeof(Number);

    // X[k] = sum over j of x[j] exp(-2 pi i j k / size), or of the conjugate factors for the inverse; not scaled.
    Lines(std::size_t size, TransformKind kind, bool inverse);

    // Element j of line i is at from[i][j * from_step]. The first `there` lines are written; all must be readable. The
    // result may overwrite its own line.
    void operator()(const Element* const* from, std::size_t from_step, Element* const* to, std::size_t to_step, int there);

private:
    typedef Number Vector __attribute__((vector_size(32)));
    struct alignas(32) Pair {
        Vector re, im;
    };
    struct Code;

    std::size_t size_;
    TransformKind kind_;
    bool inverse_;
    std::shared_ptr<const Tables<Number>> tables_;
    std::vector<Pair> x_, y_;
};

}  // namespace mufft
