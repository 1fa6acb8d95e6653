/* thrust::iterator_traits: those of the standard library. */
#ifndef MUSA_THRUST_ITERATOR_TRAITS_H
#define MUSA_THRUST_ITERATOR_TRAITS_H

#include <iterator>

namespace thrust {

template <class Iterator>
using iterator_traits = std::iterator_traits<Iterator>;
template <class Iterator>
using iterator_value_t = typename std::iterator_traits<Iterator>::value_type;
template <class Iterator>
struct iterator_value {
    using type = typename std::iterator_traits<Iterator>::value_type;
};
template <class Iterator>
struct iterator_difference {
    using type = typename std::iterator_traits<Iterator>::difference_type;
};
template <class Iterator>
struct iterator_reference {
    using type = typename std::iterator_traits<Iterator>::reference;
};
template <class Iterator>
struct iterator_pointer {
    using type = typename std::iterator_traits<Iterator>::pointer;
};

}  // namespace thrust

#endif
