// A package's own names keep their names: cudaMalloc here is prose.
#include "my_cuda.h"
#include <cub/block/block_reduce.cuh>
#include <cooperative_groups.h>
#ifdef WITH_CUDA
void foo_cuda(int cu, int nv) { CHECK_CUDA(cu); mycudaMallocX(nv); }
#endif
const char* message = "cudaMalloc failed \" in cuda.h";
const char8_t* raw = u8R"x(cudaMalloc)" cudaFree)x";
char quote = '\'', other = 'c'; /* cudaFree(
   over lines */
int Accumulate = CUSTOM + INVALID, current, execution, cuda;  // \
   cudaFree on a continued comment line
