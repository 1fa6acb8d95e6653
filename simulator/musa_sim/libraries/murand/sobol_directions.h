// The direction vectors of Sobol's sequences, and what scrambles them.
#pragma once

namespace musa_sim {

constexpr unsigned sobol_dimensions = 20000;

// Of a dimension, the vector of the highest bit first; murandDirectionVectors32_t and murandDirectionVectors64_t.
template <class Word>
using SobolVectors = Word[8 * sizeof(Word)];

// Of all dimensions. They are made when they are first asked for, and live as long as the process.
template <class Word>
SobolVectors<Word>* sobol_directions(bool scrambled);
// Number 0 of each scrambled dimension.
template <class Word>
Word* sobol_constants();

}  // namespace musa_sim
