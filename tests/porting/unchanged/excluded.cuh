#pragma once
// MUSIFY_EXCL_START
cudaFree(p);
#include <cuda.h>
// MUSIFY_EXCL_STOP
int cuda_like;
