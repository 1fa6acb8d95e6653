// murand_discrete LAMBDA: numbers of a Poisson distribution, and the uniform numbers that give them.
#include <murand_kernel.h>
#include <program.h>

namespace {

constexpr int each = 64;

template <class State>
__global__ void draw(murandDiscreteDistribution_t distribution, unsigned* numbers, double* uniform) {
    State state, same;
    murand_init(7, threadIdx.x, 0, &state);
    murand_init(7, threadIdx.x, 0, &same);
    for (int i = 0; i < each; ++i) {
        numbers[each * threadIdx.x + i] = murand_discrete(&state, distribution);
        uniform[each * threadIdx.x + i] = murand_uniform_double(&same);
    }
}

__global__ void draw_four(murandDiscreteDistribution_t distribution, unsigned* numbers, double* uniform) {
    murandStatePhilox4_32_10_t state, same;
    murand_init(9, threadIdx.x, 0, &state);
    murand_init(9, threadIdx.x, 0, &same);
    const uint4 four = murand_discrete4(&state, distribution);
    const unsigned made[] = {four.x, four.y, four.z, four.w};
    for (int i = 0; i < 4; ++i) {
        numbers[4 * threadIdx.x + i] = made[i];
        uniform[4 * threadIdx.x + i] = murand_uniform_double(&same);
    }
}

}  // namespace

int main(int, char** arguments) {
    murandDiscreteDistribution_t distribution;
    const murandStatus_t status = murandCreatePoissonDistribution(std::atof(arguments[1]), &distribution);
    std::fprintf(stderr, "%d\n", status);
    if (status) return 0;
    DeviceArray<unsigned> numbers(64 * each), others(64 * each), fours(256);
    DeviceArray<double> uniform(64 * each), other_uniform(64 * each), four_uniform(256);
    draw<murandStateXORWOW_t><<<1, 64>>>(distribution, numbers, uniform);
    draw<murandStatePhilox4_32_10_t><<<1, 64>>>(distribution, others, other_uniform);
    draw_four<<<1, 64>>>(distribution, fours, four_uniform);
    check_kernel();
    numbers.write(), uniform.write(), others.write(), other_uniform.write(), fours.write(), four_uniform.write();
    return murandDestroyDistribution(distribution);
}
