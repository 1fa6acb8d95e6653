/* The namespace of CUDA's matrix functions. */
#ifndef MUSA_CUDA_ADAPTER_MMA_H
#define MUSA_CUDA_ADAPTER_MMA_H

#if defined(__cplusplus) && defined(__MUSACC__)
namespace mtmusa {
namespace wmma {}
}
namespace nvcuda = mtmusa;
#endif

#endif
