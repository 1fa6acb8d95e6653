// expect-compile-error
#include "probe.h"
constexpr int half_of(int x) { return x % 2 ? throw x : x / 2; }
__global__ void ask(int* out, int x) { *out = half_of(x); }
int main() {
    int* out = managed<int>(1);
    ask<<<1, 1>>>(out, 4);
    CHECK(ended());
    fact("half", *out);
}
