// Sorting of coordinates. No function needs a buffer.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "context.h"

namespace {

// Sort pairs by `first`, equal ones by `second`; reorder `carried` in the same way.
musparseStatus_t sort(musparseHandle_t handle, int m, int n, int nnz, int* first, int* second, int* carried) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || nnz < 0 || (nnz > 0 && (!first || !second))) return MUSPARSE_STATUS_INVALID_VALUE;
    return musparse::enqueue(handle, [=] {
        struct Entry {
            int first, second, carried;
        };
        std::vector<Entry> entries(static_cast<std::size_t>(nnz));
        for (int i = 0; i < nnz; ++i) entries[i] = {first[i], second[i], carried ? carried[i] : 0};
        std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
            return a.first != b.first ? a.first < b.first : a.second < b.second;
        });
        for (int i = 0; i < nnz; ++i) {
            first[i] = entries[i].first;
            second[i] = entries[i].second;
            if (carried) carried[i] = entries[i].carried;
        }
    });
}

}  // namespace

MUSA_EXPORT musparseStatus_t musparseXcoosort_bufferSizeExt(musparseHandle_t handle, int m, int n, int nnz,
                                                            const int*, const int*, size_t* pBufferSizeInBytes) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || nnz < 0 || !pBufferSizeInBytes) return MUSPARSE_STATUS_INVALID_VALUE;
    *pBufferSizeInBytes = 0;
    return MUSPARSE_STATUS_SUCCESS;
}

MUSA_EXPORT musparseStatus_t musparseXcoosortByRow(musparseHandle_t handle, int m, int n, int nnz, int* cooRows,
                                                   int* cooCols, int* P, void*) {
    return sort(handle, m, n, nnz, cooRows, cooCols, P);
}

MUSA_EXPORT musparseStatus_t musparseXcoosortByColumn(musparseHandle_t handle, int m, int n, int nnz,
                                                      int* cooRows, int* cooCols, int* P, void*) {
    return sort(handle, m, n, nnz, cooCols, cooRows, P);
}

MUSA_EXPORT musparseStatus_t musparseCreateIdentityPermutation(musparseHandle_t handle, int n, int* p) {
    if (!handle) return MUSPARSE_STATUS_NOT_INITIALIZED;
    if (n < 0 || (n > 0 && !p)) return MUSPARSE_STATUS_INVALID_VALUE;
    return musparse::enqueue(handle, [=] {
        for (int i = 0; i < n; ++i) p[i] = i;
    });
}
