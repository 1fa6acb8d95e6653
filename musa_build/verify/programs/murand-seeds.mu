// The first numbers of seed 1234, subsequence 0, offset 0.
#include <murand_kernel.h>

#include "probe.h"
template <class State>
__global__ void draw(unsigned* out) {
    State state;
    murand_init(1234ull, 0ull, 0ull, &state);
    for (int i = 0; i < 3; ++i) out[i] = murand(&state);
}
template <class State>
void show(const char* name) {
    unsigned* out = managed<unsigned>(3);
    draw<State><<<1, 1>>>(out);
    CHECK(ended());
    std::printf("%s=%u %u %u\n", name, out[0], out[1], out[2]);
}
int main() {
    show<murandStateXORWOW_t>("xorwow");
    show<murandStateMRG32k3a_t>("mrg32k3a");
}
