// Poisson and normal numbers of a state of 64 bits whose number is the largest: its uniform number rounds to 1.
#include <murand_kernel.h>
#include <musa_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void last_numbers(double mean, double* results) {
    const unsigned long long largest = ~0ull;
    unsigned long long vectors[64] = {};
    murandStateScrambledSobol64_t state;
    murand_init(vectors, largest, 0ull, &state);
    murandStateScrambledSobol64_t copy = state;
    results[0] = murand_poisson(&state, mean);
    results[1] = murand_uniform_double(&copy);
}

int main(int, char** arguments) {
    double* device = nullptr;
    double results[2] = {};
    if (musaMalloc(&device, sizeof(results)) != musaSuccess) return 1;
    last_numbers<<<1, 1>>>(atof(arguments[1]), device);
    if (musaMemcpy(results, device, sizeof(results), musaMemcpyDeviceToHost) != musaSuccess) return 2;
    printf("%.0f %.17g\n", results[0], results[1]);
    return musaFree(device) != musaSuccess;
}
