// The floor of warps.mu: the same work as plain loops.
#include <cstring>

namespace {

void sums_of(const float* a, float* c, int n, int block) {
    for (int first = 0; first < n; first += block) {
        float sum = 0;
        for (int i = first; i < n && i < first + block; ++i) sum += a[i];
        c[first / block] = sum;
    }
}

}  // namespace

extern "C" void loop_warps(const char* name, const float* a, const float*, float* c, int n) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    constexpr int block = 256;
    if (is("shuffle_sum") || is("cub_reduce")) sums_of(a, c, n, block);
    if (is("tile_sums")) sums_of(a, c, n, 16);
    if (is("shuffle_scan") || is("cub_scan")) {
        for (int first = 0; first < n; first += block) {
            float sum = 0;
            for (int i = first; i < n && i < first + block; ++i) c[i] = sum += a[i];
        }
    }
    if (is("ballot_compact") || is("aggregated_atomics")) {
        int count = 0;
        for (int i = 0; i < n; ++i)
            if (a[i] > 0) c[count++] = a[i];
    }
}
