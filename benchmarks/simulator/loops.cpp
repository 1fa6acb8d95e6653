// The floor: the same work as a person would write it for a CPU, compiled by g++. OpenMP where asked for.
#include <cmath>

extern "C" void loop(const char* name, const float* a, const float* b, float* c, int n) {
    constexpr int block = 256;
    switch (name[0]) {
        case 'a':
        case 'g':
#pragma omp parallel for
            for (int i = 0; i < n; ++i) c[i] = 2 * a[i] + b[i];
            break;
        case 'h':
#pragma omp parallel for
            for (int i = 0; i < n; ++i) {
                float x = a[i], y = 0;
                for (int k = 0; k < 24; ++k) y = y * x + 0.5f;
                c[i] = y;
            }
            break;
        case 's':
#pragma omp parallel for
            for (int i = 0; i < n; ++i) c[i] = 1.0f / (1.0f + expf(-a[i]));
            break;
        case 'r':
#pragma omp parallel for
            for (int first = 0; first < n; first += block) {
                const int size = n - first < block ? n - first : block;
                for (int k = 0; k < size; ++k) {
                    const int from = block - 1 - k;
                    c[first + k] = from < size ? a[first + from] : 0;
                }
            }
            break;
        case 't':
#pragma omp parallel for
            for (int first = 0; first < n; first += block) {
                float sum = 0;
                for (int i = first; i < n && i < first + block; ++i) sum += a[i];
                c[first / block] = sum;
            }
            break;
        case 'u': {
            float sum = 0;
#pragma omp parallel for reduction(+ : sum)
            for (int i = 0; i < n; ++i) sum += a[i];
            c[0] = sum;
            break;
        }
    }
}
