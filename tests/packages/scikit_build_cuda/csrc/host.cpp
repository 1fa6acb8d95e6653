#ifdef SAXPY_CUDA
#include <cuda_runtime_api.h>
extern "C" int saxpy_on_device(int n, float a, const float* x, float* y);
extern "C" int saxpy_version() { return CUDART_VERSION; }
extern "C" int saxpy(int n, float a, const float* x, float* y) { return saxpy_on_device(n, a, x, y); }
#else
extern "C" int saxpy_version() { return 0; }
extern "C" int saxpy(int n, float a, const float* x, float* y) {
    for (int i = 0; i < n; i++) y[i] += a * x[i];
    return 0;
}
#endif
