// expect add_long=0
// expect exchange_long_long=0
// expect max_long_long=1
#include <type_traits>
#include <utility>

#include "probe.h"
template <class T, class = void>
struct CanAdd : std::false_type {};
template <class T>
struct CanAdd<T, decltype(void(atomicAdd(static_cast<T*>(nullptr), T())))> : std::true_type {};
template <class T, class = void>
struct CanAnd : std::false_type {};
template <class T>
struct CanAnd<T, decltype(void(atomicExch(static_cast<T*>(nullptr), T())))> : std::true_type {};
template <class T, class = void>
struct CanMax : std::false_type {};
template <class T>
struct CanMax<T, decltype(void(atomicMax(static_cast<T*>(nullptr), T())))> : std::true_type {};
__global__ void ask(int* out) {
    out[0] = CanAdd<long>::value;
    out[1] = CanAnd<long long>::value;
    out[2] = CanMax<long long>::value;
}
int main() {
    int* out = managed<int>(3);
    ask<<<1, 1>>>(out);
    CHECK(ended());
    fact("add_long", out[0]);
    fact("exchange_long_long", out[1]);
    fact("max_long_long", out[2]);
}
