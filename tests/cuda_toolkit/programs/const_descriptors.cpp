// A sparse product with descriptors of data that is only read (CUDA 12). Input: rows, columns, entries, then CSR, then x.
#include <cstdio>
#include <cuda_runtime.h>
#include <cusparse.h>
#include <vector>

template <class T>
static T *on_device(int count) {
    std::vector<T> host(count);
    for (T &each : host) {
        double value;
        if (std::scanf("%lf", &value) != 1) return nullptr;
        each = static_cast<T>(value);
    }
    T *memory;
    cudaMalloc(&memory, count * sizeof(T));
    cudaMemcpy(memory, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    return memory;
}

int main() {
    int rows, columns, entries;
    if (std::scanf("%d %d %d", &rows, &columns, &entries) != 3) return 1;
    const int *offsets = on_device<int>(rows + 1), *indices = on_device<int>(entries);
    const double *values = on_device<double>(entries), *x = on_device<double>(columns);
    double *y;
    cudaMalloc(&y, rows * sizeof(double));
    cusparseHandle_t handle;
    cusparseCreate(&handle);
    cusparseConstSpMatDescr_t matrix;
    cusparseConstDnVecDescr_t in;
    cusparseDnVecDescr_t out;
    if (cusparseCreateConstCsr(&matrix, rows, columns, entries, offsets, indices, values, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F) != CUSPARSE_STATUS_SUCCESS)
        return 2;
    if (cusparseCreateConstDnVec(&in, columns, x, CUDA_R_64F) != CUSPARSE_STATUS_SUCCESS) return 3;
    cusparseCreateDnVec(&out, rows, y, CUDA_R_64F);
    const double one = 1, zero = 0;
    size_t bytes = 0;
    cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_64F,
                            CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    void *buffer;
    cudaMalloc(&buffer, bytes + 1);
    cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_64F,
                 CUSPARSE_SPMV_ALG_DEFAULT, buffer);
    const void *read, *seen_offsets, *seen_indices, *seen_values;
    cusparseConstDnVecGetValues(in, &read);
    int64_t r, c, n;
    cusparseIndexType_t offset_type, index_type;
    cusparseIndexBase_t base;
    cudaDataType type;
    cusparseConstCsrGet(matrix, &r, &c, &n, &seen_offsets, &seen_indices, &seen_values, &offset_type, &index_type, &base,
                        &type);
    std::vector<double> result(rows);
    cudaMemcpy(result.data(), y, rows * sizeof(double), cudaMemcpyDeviceToHost);
    for (double each : result) std::printf("%.17g ", each);
    const bool same = read == x && seen_offsets == offsets && seen_indices == indices && seen_values == values;
    std::printf("%d %d\n", same && r == rows && c == columns && n == entries, type == CUDA_R_64F);
    cusparseDestroySpMat(matrix);
    cusparseDestroyDnVec(in);
    cusparseDestroyDnVec(out);
}
