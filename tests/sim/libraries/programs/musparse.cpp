// musparse CASE NUMBERS...: products with the matrices on stdin, in a stream; writes what they made.
#include <musparse.h>
#include <program.h>

#include <cstdint>

namespace {

void check(musparseStatus_t status, const char* what) {
    if (status == MUSPARSE_STATUS_SUCCESS) return;
    std::fprintf(stderr, "%s: %s\n", what, musparseGetErrorName(status));
    std::exit(4);
}

musparseHandle_t handle;
musaStream_t stream;

std::size_t size_of(int type) {
    switch (type) {
        case MUSA_R_16F:
        case MUSA_R_16BF: return 2;
        case MUSA_R_32F: return 4;
        case MUSA_C_64F: return 16;
        default: return 8;
    }
}

char* from_stdin(std::size_t bytes) { return input<char>(bytes); }

enum Number { type, type_out, compute, format, base, index_bytes, op_a, op_b, rows, columns, nnz, c_columns, order, batches, on_device, vector };

// One product: of a vector, or of matrices; alpha and beta, the indices, the values, B and C are on stdin.
void multiply(const std::vector<int>& n) {
    const std::size_t scalar = size_of(n[compute]);
    char* const scalars = from_stdin(2 * scalar);
    std::vector<char> host(2 * scalar);
    CHECK(musaMemcpy(host.data(), scalars, host.size(), musaMemcpyDeviceToHost));
    const char* const alpha = n[on_device] ? scalars : host.data();
    check(musparseSetPointerMode(handle, n[on_device] ? MUSPARSE_POINTER_MODE_DEVICE : MUSPARSE_POINTER_MODE_HOST), "mode");
    const bool coordinates = n[format] == MUSPARSE_FORMAT_COO;
    const bool by_columns = n[format] == MUSPARSE_FORMAT_CSC;
    const std::size_t lines = coordinates ? n[nnz] : (by_columns ? n[columns] : n[rows]) + 1;
    char* const first = from_stdin(lines * n[index_bytes]);
    char* const second = from_stdin(n[nnz] * n[index_bytes] * n[batches]);
    char* const values = from_stdin(n[nnz] * size_of(n[type]) * n[batches]);
    const auto index = n[index_bytes] == 4 ? MUSPARSE_INDEX_32I : MUSPARSE_INDEX_64I;
    const auto from = static_cast<musparseIndexBase_t>(n[base]);
    const auto value = static_cast<musaDataType>(n[type]), value_out = static_cast<musaDataType>(n[type_out]);
    musparseSpMatDescr_t a;
    if (coordinates) check(musparseCreateCoo(&a, n[rows], n[columns], n[nnz], first, second, values, index, from, value), "coo");
    else if (by_columns) check(musparseCreateCsc(&a, n[rows], n[columns], n[nnz], first, second, values, index, index, from, value), "csc");
    else check(musparseCreateCsr(&a, n[rows], n[columns], n[nnz], first, second, values, index, index, from, value), "csr");
    if (n[batches] > 1) check(musparseCsrSetStridedBatch(a, n[batches], 0, n[nnz]), "batch");
    const auto operation_a = static_cast<musparseOperation_t>(n[op_a]), operation_b = static_cast<musparseOperation_t>(n[op_b]);
    const bool plain = operation_a == MUSPARSE_OPERATION_NON_TRANSPOSE;
    const int inner = plain ? n[columns] : n[rows], outer = plain ? n[rows] : n[columns];
    const std::size_t b_count = std::size_t(inner) * n[c_columns], c_count = std::size_t(outer) * n[c_columns];
    char* const b_at = from_stdin(b_count * size_of(n[type]) * n[batches]);
    char* const c_at = from_stdin(c_count * size_of(n[type_out]) * n[batches]);
    const auto in = static_cast<musaDataType>(n[compute]);
    std::size_t size = 99;
    if (n[vector]) {
        musparseDnVecDescr_t x, y;
        check(musparseCreateDnVec(&x, inner, b_at, value), "x");
        check(musparseCreateDnVec(&y, outer, c_at, value_out), "y");
        check(musparseSpMV_bufferSize(handle, operation_a, alpha, a, x, alpha + scalar, y, in, MUSPARSE_SPMV_ALG_DEFAULT, &size), "size");
        check(musparseSpMV(handle, operation_a, alpha, a, x, alpha + scalar, y, in, MUSPARSE_SPMV_ALG_DEFAULT, nullptr), "SpMV");
        check(musparseDestroyDnVec(x), "x"), check(musparseDestroyDnVec(y), "y");
    } else {
        const auto order_of = static_cast<musparseOrder_t>(n[order]);
        const bool plain_b = operation_b == MUSPARSE_OPERATION_NON_TRANSPOSE, by_column = order_of == MUSPARSE_ORDER_COL;
        const int b_rows = plain_b ? inner : n[c_columns], b_columns = plain_b ? n[c_columns] : inner;
        musparseDnMatDescr_t b, c;
        check(musparseCreateDnMat(&b, b_rows, b_columns, by_column ? b_rows : b_columns, b_at, value, order_of), "b");
        check(musparseCreateDnMat(&c, outer, n[c_columns], by_column ? outer : n[c_columns], c_at, value_out, order_of), "c");
        check(musparseDnMatSetStridedBatch(b, n[batches], b_count), "batch of b");
        check(musparseDnMatSetStridedBatch(c, n[batches], c_count), "batch of c");
        check(musparseSpMM_bufferSize(handle, operation_a, operation_b, alpha, a, b, alpha + scalar, c, in, MUSPARSE_SPMM_ALG_DEFAULT, &size), "size");
        check(musparseSpMM(handle, operation_a, operation_b, alpha, a, b, alpha + scalar, c, in, MUSPARSE_SPMM_ALG_DEFAULT, nullptr), "SpMM");
        check(musparseDestroyDnMat(b), "b"), check(musparseDestroyDnMat(c), "c");
    }
    check(musparseDestroySpMat(a), "a");
    CHECK(musaStreamSynchronize(stream));
    if (size != 0) std::exit(5);
    std::vector<char> result(c_count * size_of(n[type_out]) * n[batches]);
    CHECK(musaMemcpy(result.data(), c_at, result.size(), musaMemcpyDeviceToHost));
    std::fwrite(result.data(), 1, result.size(), stdout);
}

void conversions(int m, int n, int base) {
    const auto from = static_cast<musparseIndexBase_t>(base);
    DeviceArray<int>& coordinates = input<int>(n);
    DeviceArray<int> offsets(m + 1), back(n);
    check(musparseXcoo2csr(handle, coordinates, n, m, offsets, from), "coo2csr");
    check(musparseXcsr2coo(handle, offsets, n, m, back, from), "csr2coo");
    CHECK(musaStreamSynchronize(stream));
    offsets.write(), back.write();
}

// By row with a permutation, then by column without.
void sorting(int m, int columns, int n) {
    DeviceArray<int>&rows = input<int>(n), &cols = input<int>(n);
    DeviceArray<int> permutation(n);
    std::size_t bytes = 1;
    check(musparseCreateIdentityPermutation(handle, n, permutation), "identity");
    check(musparseXcoosort_bufferSizeExt(handle, m, columns, n, rows, cols, &bytes), "buffer");
    DeviceArray<char> buffer(bytes + 1);
    check(musparseXcoosortByRow(handle, m, columns, n, rows, cols, permutation, buffer), "by row");
    CHECK(musaStreamSynchronize(stream));
    rows.write(), cols.write(), permutation.write();
    check(musparseXcoosortByColumn(handle, m, columns, n, rows, cols, nullptr, buffer), "by column");
    CHECK(musaStreamSynchronize(stream));
    rows.write(), cols.write();
}

// y = 2 A x in a graph, launched twice for new x; and what is refused.
void others() {
    DeviceArray<int> offsets(3), columns(2);
    DeviceArray<float> values(2), x(2), y(2);
    const int begin[3] = {0, 1, 2}, at[2] = {1, 0};
    const float entries[2] = {3, 5};
    CHECK(musaMemcpy(offsets, begin, sizeof begin, musaMemcpyHostToDevice));
    CHECK(musaMemcpy(columns, at, sizeof at, musaMemcpyHostToDevice));
    CHECK(musaMemcpy(values, entries, sizeof entries, musaMemcpyHostToDevice));
    musparseSpMatDescr_t a, other;
    musparseDnVecDescr_t in, out;
    const auto create = [&](musparseIndexType_t index) {
        return musparseCreateCsr(&other, 2, 2, 2, offsets, columns, values, index, MUSPARSE_INDEX_32I, MUSPARSE_INDEX_BASE_ZERO, MUSA_R_32F);
    };
    check(create(MUSPARSE_INDEX_32I), "create");
    a = other;
    check(musparseCreateDnVec(&in, 2, x, MUSA_R_32F), "x");
    check(musparseCreateDnVec(&out, 2, y, MUSA_R_32F), "y");
    const float alpha = 2, beta = 0;
    const auto spmv = [&](musparseHandle_t h, musparseDnVecDescr_t from, musaDataType compute) {
        return musparseSpMV(h, MUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, from, &beta, out, compute, MUSPARSE_SPMV_ALG_DEFAULT, nullptr);
    };
    CHECK(musaDeviceSynchronize());
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeGlobal));
    check(spmv(handle, in, MUSA_R_32F), "SpMV");
    musaGraph_t graph;
    musaGraphExec_t exec;
    CHECK(musaStreamEndCapture(stream, &graph));
    CHECK(musaGraphInstantiate(&exec, graph, 0));
    for (float start : {1.0f, 10.0f}) {
        const float from[2] = {start, start + 1};
        CHECK(musaMemcpy(x, from, sizeof from, musaMemcpyHostToDevice));
        CHECK(musaGraphLaunch(exec, stream));
        CHECK(musaStreamSynchronize(stream));
        std::printf("%g=%g, %g\n", start, y.host()[0], y.host()[1]);
    }
    std::int64_t size[3];
    musparseFormat_t format;
    musparseIndexBase_t base;
    void* found = nullptr;
    check(musparseSpMatGetSize(a, &size[0], &size[1], &size[2]), "size");
    check(musparseSpMatGetFormat(a, &format), "format");
    check(musparseSpMatGetIndexBase(a, &base), "base");
    check(musparseSpMatGetValues(a, &found), "values");
    std::printf("matrix=%d %d %d, %d, %d, %d\n", int(size[0]), int(size[1]), int(size[2]), format, base, found == values);
    const auto tell = [](const char* what, musparseStatus_t status) { std::printf("%s=%s\n", what, musparseGetErrorName(status)); };
    musparseDnVecDescr_t longer, halves;
    check(musparseCreateDnVec(&longer, 3, x, MUSA_R_32F), "longer");
    check(musparseCreateDnVec(&halves, 2, x, MUSA_R_16F), "halves");
    tell("no handle", spmv(nullptr, in, MUSA_R_32F));
    tell("another size", spmv(handle, longer, MUSA_R_32F));
    tell("another type", spmv(handle, halves, MUSA_R_32F));
    tell("another arithmetic", spmv(handle, in, MUSA_R_64F));
    tell("no vector", spmv(handle, nullptr, MUSA_R_32F));
    tell("indices of 16 bits", create(MUSPARSE_INDEX_16U));
    tell("no coordinates", musparseCooSetPointers(a, offsets, columns, values));
    tell("no size", musparseCreateDnVec(&longer, -1, x, MUSA_R_32F));
    tell("leading dimension", musparseCreateDnMat(nullptr, 4, 4, 3, x, MUSA_R_32F, MUSPARSE_ORDER_COL));
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    std::vector<int> numbers;
    for (char** word = argv + 2; *word; ++word) numbers.push_back(std::atoi(*word));
    CHECK(musaStreamCreate(&stream));
    check(musparseCreate(&handle), "create");
    check(musparseSetStream(handle, stream), "stream");
    if (name == "multiply") multiply(numbers);
    if (name == "conversions") conversions(numbers[0], numbers[1], numbers[2]);
    if (name == "sorting") sorting(numbers[0], numbers[1], numbers[2]);
    if (name == "others") others();
    check(musparseDestroy(handle), "destroy");
}
