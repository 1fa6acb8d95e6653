/* Statuses of cuBLAS that older releases of muBLAS lack. Each has a value of its own, because programs list all of them in a
 * switch. The values are those that the enumeration can hold beside its own; no function returns them.
 */
#ifndef MUSA_CUDA_ADAPTER_CUBLAS_H
#define MUSA_CUDA_ADAPTER_CUBLAS_H

#ifndef CUBLAS_STATUS_NOT_INITIALIZED
#define CUBLAS_STATUS_NOT_INITIALIZED MUBLAS_STATUS_INVALID_HANDLE
#endif
#ifndef CUBLAS_STATUS_ALLOC_FAILED
#define CUBLAS_STATUS_ALLOC_FAILED MUBLAS_STATUS_MEMORY_ERROR
#endif
#ifndef CUBLAS_STATUS_NOT_SUPPORTED
#define CUBLAS_STATUS_NOT_SUPPORTED MUBLAS_STATUS_NOT_IMPLEMENTED
#endif
#ifndef CUBLAS_STATUS_ARCH_MISMATCH
#define CUBLAS_STATUS_ARCH_MISMATCH ((mublasStatus_t)12)
#endif
#ifndef CUBLAS_STATUS_MAPPING_ERROR
#define CUBLAS_STATUS_MAPPING_ERROR ((mublasStatus_t)13)
#endif
#ifndef CUBLAS_STATUS_EXECUTION_FAILED
#define CUBLAS_STATUS_EXECUTION_FAILED ((mublasStatus_t)14)
#endif
#ifndef CUBLAS_STATUS_LICENSE_ERROR
#define CUBLAS_STATUS_LICENSE_ERROR ((mublasStatus_t)15)
#endif

#endif
