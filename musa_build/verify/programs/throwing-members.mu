// refuted by compile-error
// expect within=31
// expect beyond=musaErrorLaunchFailure
#include <array>
#include <optional>

#include "probe.h"
__global__ void ask(int* out, int at) {
    std::array<int, 4> a = {1, 2, 3, 4};
    std::optional<int> b(28);
    *out = a.at(at) + b.value();
}
int main() {
    int* out = managed<int>(1);
    ask<<<1, 1>>>(out, 2);
    CHECK(ended());
    fact("within", *out);
    ask<<<1, 1>>>(out, 9);
    fact("beyond", ended());
}
