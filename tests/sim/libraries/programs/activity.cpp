// A profiler's events of the SDK's libraries: "kind name" per line, work only.
#include <mublas.h>
#include <mufft.h>
#include <murand.h>
#include <musa.h>
#include <musa_sim_activity.h>

#include "program.h"

int main() {
    float* x = nullptr;
    CHECK(musaMalloc(&x, 1 << 12));
    CHECK(musaMemset(x, 0, 1 << 12));
    muInit(0);
    mublasHandle_t blas = nullptr;
    mublasCreate(&blas);
    murandGenerator_t numbers = nullptr;
    murandCreateGenerator(&numbers, MURAND_RNG_PSEUDO_XORWOW);
    mufftHandle plan{};
    mufftPlan1d(&plan, 16, MUFFT_C2C, 1);
    CHECK(musaDeviceSynchronize());

    CHECK(musa_sim_activity_start(MUSA_SIM_ACTIVITY_VERSION));
    const float one = 1;
    mublasSaxpy(blas, 16, &one, x, 1, x + 64, 1);
    mublasSgemm(blas, MUBLAS_OP_N, MUBLAS_OP_N, 4, 4, 4, &one, x, 4, x + 64, 4, &one, x + 128, 4);
    murandGenerateUniform(numbers, x, 100);
    mufftExecC2C(plan, reinterpret_cast<mufftComplex*>(x), reinterpret_cast<mufftComplex*>(x), MUFFT_FORWARD);
    muMemsetD32Async(reinterpret_cast<MUdeviceptr>(x), 7, 16, nullptr);
    CHECK(musaDeviceSynchronize());
    musa_sim_activity_stop(
        [](const musa_sim_activity* event, void*) {
            if (event->kind == musa_sim_activity_call) return;
            std::printf("%d %s\n", event->kind, event->name);
        },
        nullptr);
}
