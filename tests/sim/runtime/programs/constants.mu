// Constants in device memory, in all forms that nvcc takes and in those of clang: the host finds each by its name.
#include "program.h"

struct Pair {
    float x;
    int y;
};

__device__ const int plain[3] = {1, 2, 3};
const __device__ float number = 1.5f;
__constant__ const int in_constant[2] = {4, 5};
static const __device__ int of_file[2] = {6, 7};
__device__ constexpr int known[2] = {8, 9};
constexpr __constant__ int known_constant[1] = {10};
extern __device__ const int declared[1];
__device__ const int declared[1] = {11};
__device__ const Pair pairs[2] = {{0.5f, 12}, {2.5f, 13}};
__device__ const int* const rows[2] = {plain, of_file};
__device__ const int only_host[2] = {14, 15};
static constexpr __device__ double only_host_known = 0.25;
namespace outer {
__device__ const int inside[1] = {16};
namespace {
__device__ const int hidden[1] = {17};
__device__ const int only_host_hidden[1] = {18};
}  // namespace
}  // namespace outer
template <class T>
__device__ const T of_template = T(19);
template <class T>
struct Table {  // static members: clang takes them, nvcc does not
    static __device__ const T values[2];
    static constexpr __device__ T last = T(20);
};
template <class T>
__device__ const T Table<T>::values[2] = {T(21), T(22)};

int other_plain();

__global__ void read(int* out, const void** addresses, int i) {
    const int values[] = {plain[i],     static_cast<int>(number), in_constant[i], of_file[i],       known[i],
                          declared[0],  pairs[i].y,               *rows[i],       outer::inside[0], outer::hidden[0],
                          of_template<int>, Table<int>::values[i]};
    for (int n = 0; n < 12; n++) out[n] = values[n];
    addresses[0] = plain;
    addresses[1] = of_file;
    addresses[2] = outer::hidden;
}

template <class T>
void show(const char* name, const T& symbol) {
    void* address = nullptr;
    std::size_t size = 0;
    std::remove_const_t<T> copy, by_address;
    CHECK(musaGetSymbolAddress(&address, symbol));
    CHECK(musaGetSymbolSize(&size, symbol));
    CHECK(musaMemcpyFromSymbol(&copy, symbol, sizeof copy));
    CHECK(musaMemcpy(&by_address, address, sizeof copy, musaMemcpyDeviceToHost));
    const bool same = size == sizeof copy && std::memcmp(&copy, &by_address, size) == 0;
    std::printf("%s=%zu", name, same ? size : 0);
    if constexpr (std::is_array_v<T>) {
        for (const auto& each : copy) std::printf(" %d", reinterpret_cast<const int&>(each));
        std::printf("\n");
    } else {
        std::printf(" %g\n", static_cast<double>(copy));
    }
}

int main() {
    show("plain", plain);
    show("number", number);
    show("in_constant", in_constant);
    show("of_file", of_file);
    show("known", known);
    show("known_constant", known_constant);
    show("declared", declared);
    show("only_host", only_host);
    show("only_host_known", only_host_known);
    show("inside", outer::inside);
    show("hidden", outer::hidden);
    show("only_host_hidden", outer::only_host_hidden);
    show("of_template", of_template<int>);
    show("of_other_template", of_template<float>);
    show("values", Table<int>::values);
    show("last", Table<int>::last);
    Pair copied[2];
    CHECK(musaMemcpyFromSymbol(copied, pairs, sizeof copied));
    std::printf("pairs=%g %d %g %d\nother_plain=%d\n", copied[0].x, copied[0].y, copied[1].x, copied[1].y, other_plain());

    DeviceArray<int> out(12);
    DeviceArray<const void*> addresses(3);
    read<<<1, 1>>>(out, addresses, 1);
    check_kernel();
    std::printf("kernel=");
    for (int each : out.host()) std::printf("%d ", each);
    void* expected[3];
    CHECK(musaGetSymbolAddress(&expected[0], plain));
    CHECK(musaGetSymbolAddress(&expected[1], of_file));
    CHECK(musaGetSymbolAddress(&expected[2], outer::hidden));
    std::printf("\nsame=%d\n", std::memcmp(addresses.host().data(), expected, sizeof expected) == 0);
}
