// throws CASE: a member of the standard library that would throw, in the last of 40 threads.
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <variant>
#if __has_include(<expected>)
#include <expected>
#endif

#include "program.h"

__global__ void array_at(int* out) {
    std::array<int, 4> a{1, 2, 3, 4};
    out[threadIdx.x] = a.at(threadIdx.x / 8);
}
__global__ void view_at(int* out) {
    out[threadIdx.x] = std::string_view("kernel").substr(threadIdx.x == 39 ? 7 : 1).size();
}
__global__ void optional_value(int* out) {
    const auto v = threadIdx.x == 39 ? std::optional<int>() : std::optional<int>(1);
    out[threadIdx.x] = v.value();
}
__global__ void variant_get(int* out) {
    using Variant = std::variant<int, float>;
    const Variant v = threadIdx.x == 39 ? Variant(2.0f) : Variant(1);
    out[threadIdx.x] = std::get<int>(v);
}
__global__ void library_assertion(int* out) {
    std::array<int, 4> a{1, 2, 3, 4};
    out[threadIdx.x] = a[threadIdx.x / 8];
}
__global__ void call_abort(int* out) {
    if (threadIdx.x == 39) std::abort();
    out[threadIdx.x] = 1;
}
__global__ void builtin_abort(int* out) {
    if (threadIdx.x == 39) __builtin_abort();
    out[threadIdx.x] = 1;
}
#ifdef __cpp_lib_expected
__global__ void expected_value(int* out) {
    std::expected<int, float> v(1);
    if (threadIdx.x == 39) v = std::unexpected<float>(2.0f);
    out[threadIdx.x] = v.value();
}
#endif

int main(int, char** argv) {
    const std::string name = argv[1];
    DeviceArray<int> out(64);
    if (name == "array_at") array_at<<<1, 40>>>(out);
    if (name == "view_at") view_at<<<1, 40>>>(out);
    if (name == "optional_value") optional_value<<<1, 40>>>(out);
    if (name == "variant_get") variant_get<<<1, 40>>>(out);
    if (name == "library_assertion") library_assertion<<<1, 40>>>(out);
    if (name == "call_abort") call_abort<<<1, 40>>>(out);
    if (name == "builtin_abort") builtin_abort<<<1, 40>>>(out);
#ifdef __cpp_lib_expected
    if (name == "expected_value") expected_value<<<1, 40>>>(out);
#else
    if (name == "expected_value") return 77;
#endif
    std::puts(musaGetErrorName(musaDeviceSynchronize()));
    // the host still throws
    try {
        std::optional<int>().value();
    } catch (const std::bad_optional_access&) {
        std::puts("caught");
    }
}
