// Matrices of blocks (BSR): the functions of products, triangular solvers and conversions.
#include "blocks.h"
#include "tiles.h"

namespace bsr = musparse::blocks;
namespace tiles = musparse::tiles;

struct bsrsv2Info {
    bsr::Pivot pivot = bsr::no_pivot();
};
struct bsrsm2Info {
    bsr::Pivot pivot = bsr::no_pivot();
};

MUSA_EXPORT musparseStatus_t musparseCreateBsrsv2Info(bsrsv2Info_t* info) { return musparse::create_descriptor(info); }
MUSA_EXPORT musparseStatus_t musparseDestroyBsrsv2Info(bsrsv2Info_t info) { return musparse::destroy_descriptor(info); }
MUSA_EXPORT musparseStatus_t musparseCreateBsrsm2Info(bsrsm2Info_t* info) { return musparse::create_descriptor(info); }
MUSA_EXPORT musparseStatus_t musparseDestroyBsrsm2Info(bsrsm2Info_t info) { return musparse::destroy_descriptor(info); }

MUSA_EXPORT musparseStatus_t musparseXbsrsv2_zeroPivot(musparseHandle_t handle, bsrsv2Info_t info, int* position) {
    return bsr::zero_pivot(handle, info ? &info->pivot : nullptr, position);
}
MUSA_EXPORT musparseStatus_t musparseXbsrsm2_zeroPivot(musparseHandle_t handle, bsrsm2Info_t info, int* position) {
    return bsr::zero_pivot(handle, info ? &info->pivot : nullptr, position);
}

// The number of blocks goes to host or device memory, by the pointer mode.
MUSA_EXPORT musparseStatus_t musparseXcsr2bsrNnz(musparseHandle_t handle, musparseDirection_t dir, int m, int n,
                                                 musparseMatDescr_t descrA, const int* csrRowPtrA,
                                                 const int* csrColIndA, int blockDim, musparseMatDescr_t descrC,
                                                 int* bsrRowPtrC, int* nnzTotalDevHostPtr) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || blockDim <= 0 || !descrA || !descrC || !csrRowPtrA || !bsrRowPtrC || !nnzTotalDevHostPtr)
        return MUSPARSE_STATUS_INVALID_VALUE;
    const tiles::Pattern a{tiles::entry, m, csrRowPtrA, csrColIndA, descrA->base};
    const tiles::Shape to{dir, blockDim, blockDim};
    return tiles::enqueue_count(handle, nnzTotalDevHostPtr, [=, base = descrC->base] {
        return tiles::count(a, to, tiles::lines_of(m, blockDim), base, bsrRowPtrC);
    });
}

#define MUSA_SIM_BLOCKS(L, T)                                                                                          \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrmv(                                                                   \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, int mb, int nb, int nnzb,       \
        const T* alpha, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA,     \
        int blockDim, const T* x, const T* beta, T* y) {                                                               \
        const bsr::Blocks<T> a{dirA,    mb,         nb,         nnzb,    bsrValA,                                      \
                                    bsrRowPtrA, bsrColIndA, blockDim, bsr::base_of(descrA)};                           \
        const int in = std::max(1, nb * blockDim), out = std::max(1, mb * blockDim);                                   \
        return bsr::multiply<T>(handle, transA, MUSPARSE_OPERATION_NON_TRANSPOSE, descrA, a, alpha,                    \
                                     {x, in, false}, beta, {y, out, false}, 1);                                        \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrmm(                                                                   \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, musparseOperation_t transB,     \
        int mb, int n, int kb, int nnzb, const T* alpha, musparseMatDescr_t descrA, const T* bsrValA,                  \
        const int* bsrRowPtrA, const int* bsrColIndA, int blockSize, const T* B, int ldb, const T* beta, T* C,         \
        int ldc) {                                                                                                     \
        const bsr::Blocks<T> a{dirA,    mb,         kb,         nnzb,    bsrValA,                                      \
                                    bsrRowPtrA, bsrColIndA, blockSize, bsr::base_of(descrA)};                          \
        return bsr::multiply<T>(handle, transA, transB, descrA, a, alpha,                                              \
                                     {B, ldb, transB != MUSPARSE_OPERATION_NON_TRANSPOSE}, beta, {C, ldc, false}, n);  \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsv2_bufferSize(                                                       \
        musparseHandle_t handle, musparseDirection_t, musparseOperation_t, int mb, int nnzb,                           \
        musparseMatDescr_t descrA, T*, const int*, const int*, int blockDim, bsrsv2Info_t info,                        \
        int* pBufferSizeInBytes) {                                                                                     \
        return bsr::give_size(handle, mb >= 0 && nnzb >= 0 && blockDim > 0 && descrA && info, pBufferSizeInBytes);     \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsv2_analysis(                                                         \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t, int mb, int nnzb,                      \
        musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA, int blockDim,       \
        bsrsv2Info_t info, musparseSolvePolicy_t, void*) {                                                             \
        return bsr::analyse<T>(handle, descrA,                                                                         \
                                    {dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA, blockDim,                    \
                                     bsr::base_of(descrA)},                                                            \
                                    info ? &info->pivot : nullptr);                                                    \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsv2_solve(                                                            \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, int mb, int nnzb,               \
        const T* alpha, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA,     \
        int blockDim, bsrsv2Info_t info, const T* f, T* x, musparseSolvePolicy_t, void*) {                             \
        const int size = std::max(1, mb * blockDim);                                                                   \
        return bsr::solve<T>(handle, descrA, MUSPARSE_OPERATION_NON_TRANSPOSE,                                         \
                                  {{dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA, blockDim,                     \
                                    bsr::base_of(descrA)},                                                             \
                                   transA, {}, {}, {f, size, false}, {x, size, false}, 1},                             \
                                  alpha, info ? &info->pivot : nullptr);                                               \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsm2_bufferSize(                                                       \
        musparseHandle_t handle, musparseDirection_t, musparseOperation_t, musparseOperation_t, int mb, int n,         \
        int nnzb, musparseMatDescr_t descrA, T*, const int*, const int*, int blockSize, bsrsm2Info_t info,             \
        int* pBufferSizeInBytes) {                                                                                     \
        return bsr::give_size(handle, mb >= 0 && n >= 0 && nnzb >= 0 && blockSize > 0 && descrA && info,               \
                                   pBufferSizeInBytes);                                                                \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsm2_analysis(                                                         \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t, musparseOperation_t, int mb, int,      \
        int nnzb, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA, const int* bsrColIndA,           \
        int blockSize, bsrsm2Info_t info, musparseSolvePolicy_t, void*) {                                              \
        return bsr::analyse<T>(handle, descrA,                                                                         \
                                    {dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA, blockSize,                   \
                                     bsr::base_of(descrA)},                                                            \
                                    info ? &info->pivot : nullptr);                                                    \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsrsm2_solve(                                                            \
        musparseHandle_t handle, musparseDirection_t dirA, musparseOperation_t transA, musparseOperation_t transXY,    \
        int mb, int n, int nnzb, const T* alpha, musparseMatDescr_t descrA, const T* bsrValA, const int* bsrRowPtrA,   \
        const int* bsrColIndA, int blockSize, bsrsm2Info_t info, const T* B, int ldb, T* X, int ldx,                   \
        musparseSolvePolicy_t, void*) {                                                                                \
        const bool turned = transXY != MUSPARSE_OPERATION_NON_TRANSPOSE;                                               \
        return bsr::solve<T>(handle, descrA, transXY,                                                                  \
                                  {{dirA, mb, mb, nnzb, bsrValA, bsrRowPtrA, bsrColIndA, blockSize,                    \
                                    bsr::base_of(descrA)},                                                             \
                                   transA, {}, {}, {B, ldb, turned}, {X, ldx, turned}, n},                             \
                                  alpha, info ? &info->pivot : nullptr);                                               \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##csr2bsr(                                                                 \
        musparseHandle_t handle, musparseDirection_t dir, int m, int n, musparseMatDescr_t descrA, const T* csrValA,   \
        const int* csrRowPtrA, const int* csrColIndA, int blockDim, musparseMatDescr_t descrC, T* bsrValC,             \
        int* bsrRowPtrC, int* bsrColIndC) {                                                                            \
        if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;                                                           \
        if (m < 0 || n < 0 || blockDim <= 0 || !descrA || !descrC || !csrRowPtrA || !bsrRowPtrC)                       \
            return MUSPARSE_STATUS_INVALID_VALUE;                                                                      \
        const tiles::Pattern a{tiles::entry, m, csrRowPtrA, csrColIndA, descrA->base};                                 \
        return musparse::enqueue(handle, [=, base = descrC->base] {                                                    \
            tiles::convert<T>(a, csrValA, {dir, blockDim, blockDim}, tiles::lines_of(m, blockDim), base, bsrValC,      \
                              bsrRowPtrC, bsrColIndC);                                                                 \
        });                                                                                                            \
    }                                                                                                                  \
    MUSA_EXPORT musparseStatus_t musparse##L##bsr2csr(                                                                 \
        musparseHandle_t handle, musparseDirection_t dir, int mb, int nb, musparseMatDescr_t descrA, const T* bsrValA, \
        const int* bsrRowPtrA, const int* bsrColIndA, int blockDim, musparseMatDescr_t descrC, T* csrValC,             \
        int* csrRowPtrC, int* csrColIndC) {                                                                            \
        if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;                                                           \
        if (mb < 0 || nb < 0 || blockDim <= 0 || !descrA || !descrC || !bsrRowPtrA || !csrRowPtrC)                     \
            return MUSPARSE_STATUS_INVALID_VALUE;                                                                      \
        const tiles::Pattern a{{dir, blockDim, blockDim}, mb, bsrRowPtrA, bsrColIndA, descrA->base};                   \
        return musparse::enqueue(handle, [=, base = descrC->base] {                                                    \
            tiles::convert<T>(a, bsrValA, tiles::entry, mb * blockDim, base, csrValC, csrRowPtrC, csrColIndC);         \
        });                                                                                                            \
    }
MUSA_SIM_BLOCKS(S, float)
MUSA_SIM_BLOCKS(D, double)
MUSA_SIM_BLOCKS(C, muComplex)
MUSA_SIM_BLOCKS(Z, muDoubleComplex)
#undef MUSA_SIM_BLOCKS
