// graphs: operations of the libraries in a graph, which the driver API captures and launches. Prints what the buffers hold
// after each launch.
#include <mublas.h>
#include <mufft.h>
#include <murand.h>
#include <musa.h>
#include <musa_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                      \
    do {                                                                 \
        const int error = static_cast<int>(call);                        \
        if (error != 0) std::fprintf(stderr, "%s: %d\n", #call, error), std::exit(3); \
    } while (0)

int main() {
    constexpr int n = 4;
    float* x = nullptr;
    float* y = nullptr;
    mufftComplex* spectrum = nullptr;
    unsigned* words = nullptr;
    unsigned* numbers = nullptr;
    CHECK(muInit(0));
    const auto allocate = [](auto** array) {
        CHECK(musaMallocManaged(reinterpret_cast<void**>(array), n * sizeof(mufftComplex)));
    };
    allocate(&x);
    allocate(&y);
    allocate(&spectrum);
    allocate(&words);
    allocate(&numbers);
    for (int i = 0; i < n; ++i) x[i] = 1, y[i] = 0;

    MUstream stream = nullptr;
    mublasHandle_t blas = nullptr;
    murandGenerator_t generator = nullptr;
    mufftHandle plan = 0;
    CHECK(muStreamCreate(&stream, MU_STREAM_NON_BLOCKING));
    CHECK(mublasCreate(&blas));
    CHECK(mublasSetStream(blas, stream));
    CHECK(murandCreateGenerator(&generator, MURAND_RNG_PSEUDO_PHILOX4_32_10));
    CHECK(murandSetStream(generator, stream));
    CHECK(mufftPlan1d(&plan, n, MUFFT_R2C, 1));
    CHECK(mufftSetStream(plan, stream));

    MUgraph graph = nullptr;
    MUgraphExec exec = nullptr;
    MUstreamCaptureStatus status;
    CHECK(muStreamBeginCapture(stream, MU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    float alpha = 2;
    CHECK(mublasSaxpy(blas, n, &alpha, x, 1, y, 1));
    alpha = 1000;  // was read
    CHECK(mufftExecR2C(plan, y, spectrum));
    CHECK(muMemsetD32Async(reinterpret_cast<MUdeviceptr>(words), 7, 1, stream));
    CHECK(murandGenerate(generator, numbers, 1));
    CHECK(muStreamIsCapturing(stream, &status));
    CHECK(muStreamEndCapture(stream, &graph));
    std::size_t count = 0;
    CHECK(muGraphGetNodes(graph, nullptr, &count));
    CHECK(muGraphInstantiate(&exec, graph, 0));
    CHECK(muGraphDestroy(graph));
    std::printf("status %d, nodes %zu, y %g\n", status, count, y[0]);
    unsigned last = 0;
    for (int launch = 1; launch <= 3; ++launch) {
        words[0] = 0;
        CHECK(muGraphLaunch(exec, stream));
        CHECK(muStreamSynchronize(stream));
        std::printf("y %g, sum %g, word %u, new number %d\n", y[3], spectrum[0].x, words[0], numbers[0] != last);
        last = numbers[0];
    }

    // A result for the host would have to be waited for.
    float result = 0;
    CHECK(muStreamBeginCapture(stream, MU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    std::printf("dot fails %d, ", mublasSdot(blas, n, x, 1, y, 1, &result) != MUBLAS_STATUS_SUCCESS);
    const MUresult ended = muStreamEndCapture(stream, &graph);
    const char* name = nullptr;
    CHECK(muGetErrorName(ended, &name));
    std::printf("%s\n", name);
    CHECK(muGraphExecDestroy(exec));
}
