/* <math.h> for C++ code that is older than C++20.
 *
 * In C++20, libstdc++'s <math.h> has `using std::lerp`. NVIDIA's helper_math.h, which many packages copy, defines
 * lerp(float, float, float), and the two conflict. Here std::lerp stays in namespace std. Code that calls lerp without
 * its own definition, as C++20 allows, still finds it through a using-directive, which cannot conflict. Overload
 * resolution prefers any other viable lerp, because of the parameter types here.
 *
 * Code that defines _GLIBCXX_INCLUDE_NEXT_C_HEADERS needs only the C library's header.
 */
#if !defined(__cplusplus) || __cplusplus <= 201703L || defined(_GLIBCXX_INCLUDE_NEXT_C_HEADERS)
#include_next <math.h>
#elif !defined(MUSA_BUILD_MATH_H)
#define MUSA_BUILD_MATH_H

#include <cmath> /* declares std::lerp by its own name */
#include <type_traits>

namespace std {
void __musa_build_no_lerp();
}
#define lerp __musa_build_no_lerp
#include_next <math.h>
#undef lerp

#if defined(__cpp_lib_interpolate)
namespace __musa_build {
template <class T>
struct exactly {
    T value;
    template <class U, class = typename std::enable_if<std::is_same<T, U>::value>::type>
    constexpr exactly(U given) : value(given) {}
};
constexpr float lerp(exactly<float> a, exactly<float> b, exactly<float> t) { return std::lerp(a.value, b.value, t.value); }
constexpr double lerp(exactly<double> a, exactly<double> b, exactly<double> t) { return std::lerp(a.value, b.value, t.value); }
}  // namespace __musa_build
using namespace __musa_build;
#endif

#endif
