/* Programs include this header of Thrust's own for these names in thrust::detail. */
#ifndef MUSA_THRUST_DETAIL_TYPE_TRAITS_H
#define MUSA_THRUST_DETAIL_TYPE_TRAITS_H

#include <type_traits>

namespace thrust {
namespace detail {

using std::conditional;
using std::enable_if;
using std::false_type;
using std::integral_constant;
using std::is_arithmetic;
using std::is_const;
using std::is_convertible;
using std::is_floating_point;
using std::is_integral;
using std::is_pointer;
using std::is_reference;
using std::is_same;
using std::is_void;
using std::remove_const;
using std::remove_cv;
using std::remove_pointer;
using std::remove_reference;
using std::true_type;

}  // namespace detail
}  // namespace thrust

#endif
