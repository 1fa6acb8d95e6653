#pragma once
#include <musa_runtime.h>
#include <utility>
#define cudaMemcpyDeviceToHost \
    musaMemcpyDeviceToHost
#define cudaMemset(p, v, n) musaMemset(p, v, n)
#define musaGetDevice cudaGetDevice
using cudaStream_t = musaStream_t;
typedef musaEvent_t cudaEvent_t;
typedef struct musaDeviceProp cudaDeviceProp;
constexpr auto cudaSuccess = musaSuccess;
enum { cudaEventDisableTiming = musaEventDisableTiming };
static inline musaError_t cudaFree(void* p);
static inline musaError_t cudaFree(void* p) { return musaFree(p); }
template <class T> musaError_t cudaMalloc(T** p, size_t n) { return musaMalloc((void**)p, n); }
template <class... A> auto cudaMemcpy(A&&... a) { return musaMemcpy(std::forward<A>(a)...); }
auto cudaDeviceSynchronize = [] { return musaDeviceSynchronize(); };
using musaStream_t = cudaStream_t;
namespace gpu {
using cudaEvent_t = musaEvent_t;
constexpr auto cudaSuccess = musaSuccess;
inline musaError_t cudaEventCreate(cudaEvent_t* e) { return musaEventCreate(e); }
struct Api {
    static musaError_t cudaEventDestroy(cudaEvent_t e) { return musaEventDestroy(e); }
};
}  // namespace gpu
