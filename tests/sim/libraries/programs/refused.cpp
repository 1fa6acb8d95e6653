// What the simulator does not have links, fails with its library's own status, and says so once.
#include <mublasLt.h>
#include <musolver.h>
#include <musparse.h>

#include <cstdio>

int main() {
    musparseHandle_t sparse;
    musolverDnHandle_t solver;
    mublasLtHandle_t lt;
    if (musparseCreate(&sparse) || musolverDnCreate(&solver) || mublasLtCreate(&lt)) return 1;
    musaStream_t stream = nullptr, same = nullptr;
    musaStreamCreate(&stream);
    if (musparseSetStream(sparse, stream) || musparseGetStream(sparse, &same) || same != stream) return 2;
    if (musolverDnSetStream(solver, stream) || musolverDnGetStream(solver, &same) || same != stream) return 3;

    musparseMatDescr_t matrix;
    int size = 0;
    for (int i = 0; i < 2; ++i) {
        const musparseStatus_t status = musparseCreateMatDescr(&matrix);
        std::printf("sparse=%s, %s\n", musparseGetErrorName(status), musparseGetErrorString(status));
        std::printf("solver=%d\n", musolverDnSpotrf_bufferSize(solver, MUBLAS_FILL_MODE_LOWER, 4, nullptr, 4, &size) ==
                                       MUSOLVER_STATUS_NOT_SUPPORTED);
        mublasLtMatmulPreference_t preference;
        std::printf("lt=%s\n", mublasGetStatusString(mublasLtMatmulPreferenceCreate(&preference)));
    }
    return musparseDestroy(sparse) || musolverDnDestroy(solver) || mublasLtDestroy(lt);
}
