/* C, which declares CUDA's structure by itself. */
#include <cuda_runtime_api.h>

struct CUstream_st;

int is_default(struct CUstream_st *stream) {
    cudaStream_t same = stream;
    return same == 0;
}
