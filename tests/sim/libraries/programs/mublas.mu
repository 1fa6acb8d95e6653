// mublas CASE type numbers...: one call of muBLAS on arrays from stdin, the result to stdout.
#include <mublas.h>
#include <musa_bf16.h>

#include "program.h"

#define BLAS(call) require((call), #call)
void require(mublasStatus status, const char* what) {
    if (status == MUBLAS_STATUS_SUCCESS) return;
    std::fprintf(stderr, "%s: %s\n", what, mublasGetStatusString(status));
    std::exit(3);
}

// The functions of one type by one name.
template <class T>
struct Blas;
#define BLAS_TYPE(T, L, l)                                                                     \
    template <>                                                                                \
    struct Blas<T> {                                                                           \
        static constexpr auto gemm = mublas##L##gemm;                                          \
        static constexpr auto batched = mublas##L##gemmBatched;                                \
        static constexpr auto strided = mublas##L##gemmStridedBatched;                         \
        static constexpr auto gemv = mublas##L##gemv;                                          \
        static constexpr auto geam = mublas##L##geam;                                          \
        static constexpr auto dgmm = mublas##L##dgmm;                                          \
        static constexpr auto symm = mublas##L##symm;                                          \
        static constexpr auto syrk = mublas##L##syrk;                                          \
        static constexpr auto trmm = mublas##L##trmm;                                          \
        static constexpr auto trsm = mublas##L##trsm;                                          \
        static constexpr auto trsm_batched = mublas##L##trsmBatched;                           \
        static constexpr auto axpy = mublas##L##axpy;                                          \
        static constexpr auto scal = mublas##L##scal;                                          \
        static constexpr auto copy = mublas##L##copy;                                          \
        static constexpr auto swap = mublas##L##swap;                                          \
        static constexpr auto amax = mublasI##l##amax;                                         \
        static constexpr auto amin = mublasI##l##amin;                                         \
    };
BLAS_TYPE(float, S, s)
BLAS_TYPE(double, D, d)
BLAS_TYPE(muComplex, C, c)
BLAS_TYPE(muDoubleComplex, Z, z)
template <>
struct Blas<__half> {
    static constexpr auto gemm = mublasHgemm;
    static constexpr auto batched = mublasHgemmBatched;
    static constexpr auto strided = mublasHgemmStridedBatched;
};

mublasHandle_t handle;
musaStream_t stream;

mublasOperation_t operation(const char* text) {
    return text[0] == 'N' ? MUBLAS_OP_N : text[0] == 'T' ? MUBLAS_OP_T : MUBLAS_OP_C;
}

struct Numbers {
    char** at;
    int next() { return std::atoi(*at++); }
};

// Three times: one product, a strided batch of two, a batch of pointers; alpha and beta once from the device.
template <class T>
void gemm(char** arguments) {
    const mublasOperation_t ta = operation(arguments[0]), tb = operation(arguments[1]);
    Numbers in{arguments + 2};
    const int m = in.next(), n = in.next(), k = in.next(), lda = in.next(), ldb = in.next(), ldc = in.next();
    const int size_a = lda * (ta == MUBLAS_OP_N ? k : m), size_b = ldb * (tb == MUBLAS_OP_N ? n : k), size_c = ldc * n;
    auto& scalars = input<T>(2);
    auto& a = input<T>(2 * size_a);
    auto& b = input<T>(2 * size_b);
    auto& c = input<T>(2 * size_c);
    const std::vector<T> start = c.host(), host_scalars = scalars.host();
    const T *alpha = &host_scalars[0], *beta = &host_scalars[1];
    auto reset = [&] { CHECK(musaMemcpy(c, start.data(), start.size() * sizeof(T), musaMemcpyHostToDevice)); };
    BLAS(Blas<T>::gemm(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc));
    CHECK(musaStreamSynchronize(stream));
    c.write();
    reset();
    BLAS(mublasSetPointerMode(handle, MUBLAS_POINTER_MODE_DEVICE));
    BLAS(Blas<T>::strided(handle, ta, tb, m, n, k, scalars, a, lda, size_a, b, ldb, size_b, scalars + 1, c, ldc, size_c,
                          2));
    BLAS(mublasSetPointerMode(handle, MUBLAS_POINTER_MODE_HOST));
    CHECK(musaStreamSynchronize(stream));
    c.write();
    reset();
    T* pointers[] = {a, a + size_a, b, b + size_b, c, c + size_c};
    DeviceArray<T*> on_device(6);
    CHECK(musaMemcpy(on_device, pointers, sizeof pointers, musaMemcpyHostToDevice));
    T** table = on_device;
    BLAS(Blas<T>::batched(handle, ta, tb, m, n, k, alpha, table, lda, table + 2, ldb, beta, table + 4, ldc, 2));
    CHECK(musaStreamSynchronize(stream));
    c.write();
}

template <class T>
void gemv(char** arguments) {
    const mublasOperation_t trans = operation(arguments[0]);
    Numbers in{arguments + 1};
    const int m = in.next(), n = in.next(), incx = in.next(), incy = in.next();
    const int rows = trans == MUBLAS_OP_N ? m : n, columns = m + n - rows;
    auto& scalars = input<T>(2);
    auto& a = input<T>(m * n);
    auto& x = input<T>(1 + (columns - 1) * std::abs(incx));
    auto& y = input<T>(1 + (rows - 1) * std::abs(incy));
    const std::vector<T> s = scalars.host();
    BLAS(Blas<T>::gemv(handle, trans, m, n, &s[0], a, m, x, incx, &s[1], y, incy));
    CHECK(musaStreamSynchronize(stream));
    y.write();
}

template <class T>
void vectors(char** arguments) {
    Numbers in{arguments};
    const int n = in.next(), incx = in.next(), incy = in.next();
    auto& alpha = input<T>(1);
    auto& x = input<T>(n * incx);
    auto& y = input<T>(n * incy);
    const T factor = alpha.host()[0];
    int largest, smallest;
    BLAS(Blas<T>::amax(handle, n, x, incx, &largest));
    BLAS(Blas<T>::amin(handle, n, x, incx, &smallest));
    std::fwrite(&largest, sizeof(int), 1, stdout);
    std::fwrite(&smallest, sizeof(int), 1, stdout);
    BLAS(Blas<T>::axpy(handle, n, &factor, x, incx, y, incy));
    BLAS(Blas<T>::swap(handle, n, x, incx, y, incy));
    BLAS(Blas<T>::scal(handle, n, &factor, x, incx));
    CHECK(musaStreamSynchronize(stream));
    x.write();
    y.write();
    BLAS(Blas<T>::copy(handle, n, x, incx, y, incy));
    CHECK(musaStreamSynchronize(stream));
    y.write();
}

// Norms and products; the second dot through a result in device memory.
void sums(int n) {
    auto& x = input<float>(n);
    auto& y = input<float>(n);
    auto& z = input<muDoubleComplex>(n);
    auto& w = input<muDoubleComplex>(n);
    float s[3];
    BLAS(mublasSdot(handle, n, x, 1, y, 1, &s[0]));
    BLAS(mublasSnrm2(handle, n, x, 1, &s[1]));
    BLAS(mublasSasum(handle, n, x, 1, &s[2]));
    std::fwrite(s, sizeof s, 1, stdout);
    double d[2];
    BLAS(mublasDznrm2(handle, n, z, 1, &d[0]));
    BLAS(mublasDzasum(handle, n, z, 1, &d[1]));
    std::fwrite(d, sizeof d, 1, stdout);
    DeviceArray<muDoubleComplex> products(2);
    BLAS(mublasSetPointerMode(handle, MUBLAS_POINTER_MODE_DEVICE));
    BLAS(mublasZdotu(handle, n, z, 1, w, 1, products));
    BLAS(mublasZdotc(handle, n, z, 1, w, 1, products + 1));
    CHECK(musaStreamSynchronize(stream));
    products.write();
}

template <class In, class Out, class Factor>
void gemm_ex(musaDataType_t in_type, musaDataType_t out_type, mublasComputeType_t compute, char** arguments) {
    Numbers in{arguments};
    const int m = in.next(), n = in.next(), k = in.next();
    auto& a = input<In>(m * k);
    auto& b = input<In>(n * k);
    auto& c = input<Out>(m * n);
    const Factor alpha = Factor(2), beta = Factor(1);
    BLAS(mublasGemmEx(handle, MUBLAS_OP_T, MUBLAS_OP_N, m, n, k, &alpha, a, in_type, k, b, in_type, k, &beta, c,
                      out_type, m, compute, MUBLAS_GEMM_DEFAULT_TENSOR_OP));
    CHECK(musaStreamSynchronize(stream));
    c.write();
}

template <class T>
void write(const DeviceArray<T>& array) {
    CHECK(musaStreamSynchronize(stream));
    array.write();
}
template <class T>
DeviceArray<T>& copied(const DeviceArray<T>& from) {
    auto* copy = new DeviceArray<T>(from.size());
    CHECK(musaMemcpy(*copy, from, from.size() * sizeof(T), musaMemcpyDeviceToDevice));
    return *copy;
}

// Matrices with a structure: a and b are the same for all functions, the leading dimensions one more than needed.
template <class T>
void structured(char** arguments) {
    Numbers in{arguments};
    const auto side = static_cast<mublasSideMode_t>(in.next());
    const auto uplo = static_cast<mublasFillMode_t>(in.next());
    const auto trans = static_cast<mublasOperation_t>(in.next());
    const auto diag = static_cast<mublasDiagType_t>(in.next());
    const int m = in.next(), n = in.next(), order = side == MUBLAS_SIDE_LEFT ? m : n, lda = order + 1, ldb = m + 1;
    auto& scalars = input<T>(2);
    auto& a = input<T>(2 * lda * order);
    auto& b = input<T>(2 * ldb * n);
    auto& c = input<T>(ldb * n);
    const std::vector<T> host = scalars.host();
    const T *alpha = &host[0], *beta = &host[1];

    auto& solved = copied(b);
    BLAS(Blas<T>::trsm(handle, side, uplo, trans, diag, m, n, alpha, a, lda, solved, ldb));
    write(solved);
    auto& all_solved = copied(b);
    T* pointers[] = {a, a + lda * order, all_solved, all_solved + ldb * n};
    DeviceArray<T*> on_device(4);
    CHECK(musaMemcpy(on_device, pointers, sizeof pointers, musaMemcpyHostToDevice));
    T** table = on_device;
    BLAS(Blas<T>::trsm_batched(handle, side, uplo, trans, diag, m, n, alpha, table, lda, table + 2, ldb, 2));
    write(all_solved);
    auto& product = copied(b);
    BLAS(Blas<T>::trmm(handle, side, uplo, trans, diag, m, n, alpha, a, lda, product, ldb, product, ldb));
    write(product);
    auto& symmetric = copied(c);
    BLAS(Blas<T>::symm(handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, symmetric, ldb));
    write(symmetric);
    // op(b) op(b)^T, m x m or n x n
    const mublasOperation_t op = trans == MUBLAS_OP_C ? MUBLAS_OP_T : trans;
    const int rank = op == MUBLAS_OP_N ? m : n, depth = m + n - rank;
    auto& square = *new DeviceArray<T>(rank * rank);
    BLAS(Blas<T>::syrk(handle, uplo, op, rank, depth, alpha, b, ldb, beta, square, rank));
    write(square);
    auto& scaled = *new DeviceArray<T>(ldb * n);
    BLAS(Blas<T>::dgmm(handle, side, m, n, b, ldb, a, 1, scaled, ldb));
    write(scaled);
    auto& turned = *new DeviceArray<T>(n * m);
    BLAS(Blas<T>::geam(handle, MUBLAS_OP_C, MUBLAS_OP_T, n, m, alpha, b, ldb, beta, c, ldb, turned, n));
    write(turned);
    if constexpr (std::is_same<T, muComplex>::value) {
        const float factor = 2, kept = 0;
        BLAS(mublasCherk(handle, uplo, trans == MUBLAS_OP_N ? MUBLAS_OP_N : MUBLAS_OP_C, rank, depth, &factor, b, ldb,
                         &kept, square, rank));
        write(square);
        auto& hermitian = copied(c);
        BLAS(mublasChemm(handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, hermitian, ldb));
        write(hermitian);
        auto& outer = copied(c);
        BLAS(mublasCgerc(handle, m, n, alpha, a, 1, b, 1, outer, ldb));
        write(outer);
    }
}

// The forms of C++ and the names that CUDA code calls: all compute 2 A^T B + C.
void spelled(char** arguments) {
    Numbers in{arguments};
    const int m = in.next(), n = in.next(), k = in.next();
    auto& a = input<float>(m * k);
    auto& b = input<float>(n * k);
    auto& c = input<float>(m * n);
    auto& bytes = input<signed char>((m + n) * k);
    const float alpha = 2, beta = 1;
    const auto T = MUBLAS_OP_T, N = MUBLAS_OP_N;
    mublasHandle_t other;
    BLAS(mublasCreate_v2(&other));
    BLAS(mublasSetStream_v2(other, stream));
    auto& first = copied(c);
    BLAS(mublasGemmEx(other, T, N, m, n, k, &alpha, a, MUSA_R_32F, k, b, MUSA_R_32F, k, &beta, first, MUSA_R_32F, m,
                      MUSA_R_32F, MUBLAS_GEMM_DFALT_TENSOR_OP));
    write(first);
    auto& second = copied(c);
    BLAS(mublasGemmStridedBatchedEx(other, T, N, m, n, k, &alpha, a, MUSA_R_32F, k, 0, b, MUSA_R_32F, k, 0, &beta,
                                    second, MUSA_R_32F, m, 0, 1, MUSA_R_32F, MUBLAS_GEMM_ALGO0));
    write(second);
    auto& third = copied(c);
    void* pointers[] = {a, b, third};
    DeviceArray<void*> on_device(3);
    CHECK(musaMemcpy(on_device, pointers, sizeof pointers, musaMemcpyHostToDevice));
    void** table = on_device;
    BLAS(mublasGemmBatchedEx(other, T, N, m, n, k, &alpha, table, MUSA_R_32F, k, table + 1, MUSA_R_32F, k, &beta,
                             table + 2, MUSA_R_32F, m, 1, MUSA_R_32F, MUBLAS_GEMM_ALGO15_TENSOR_OP));
    write(third);
    auto& fourth = copied(c);
    BLAS(mublasSgemmEx(other, T, N, m, n, k, &alpha, a, MUSA_R_32F, k, b, MUSA_R_32F, k, &beta, fourth, MUSA_R_32F, m));
    write(fourth);
    auto& fifth = copied(c);
    BLAS(mublasSgemm_v2(other, T, N, m, n, k, &alpha, a, k, b, k, &beta, fifth, m));
    write(fifth);
    auto& sixth = copied(c);
    BLAS(mublasSgemmEx(other, T, N, m, n, k, &alpha, bytes, MUSA_R_8I, k, bytes + m * k, MUSA_R_8I, k, &beta, sixth,
                       MUSA_R_32F, m));
    write(sixth);
    const int two = 2, none = 0;
    DeviceArray<int> integers(m * n);
    BLAS(mublasGemmEx(other, T, N, m, n, k, &two, bytes, MUSA_R_8I, k, bytes + m * k, MUSA_R_8I, k, &none, integers,
                      MUSA_R_32I, m, MUSA_R_32I, MUBLAS_GEMM_DEFAULT));
    write(integers);
    if (mublasGemmEx(other, T, N, m, n, k, &two, bytes, MUSA_R_8I, k, bytes, MUSA_R_8I, k, &none, integers, MUSA_R_32I,
                     m, MUSA_C_8I, MUBLAS_GEMM_DEFAULT) != MUBLAS_STATUS_NOT_IMPLEMENTED)
        std::exit(5);
    // and there and back again
    std::vector<float> host(m * n), back(m * n);
    for (int i = 0; i < m * n; ++i) host[i] = i;
    BLAS(mublasSetMatrixAsync(m, n, sizeof(float), host.data(), m, fifth, m, stream));
    BLAS(mublasGetVectorAsync(m * n, sizeof(float), fifth, 1, back.data(), 1, stream));
    CHECK(musaStreamSynchronize(stream));
    std::fwrite(back.data(), sizeof(float), m * n, stdout);
    mublasAtomicsMode_t mode;
    BLAS(mublasSetAtomicsMode(other, MUBLAS_ATOMICS_ALLOWED));
    BLAS(mublasGetAtomicsMode(other, &mode));
    if (mode != MUBLAS_ATOMICS_ALLOWED) std::exit(6);
    BLAS(mublasDestroy_v2(other));
}

void refusals() {
    auto say = [](const char* what, mublasStatus status) { std::printf("%s=%s\n", what, mublasGetStatusString(status)); };
    const float one = 1;
    float* none = nullptr;
    const auto N = MUBLAS_OP_N;
    DeviceArray<float> a(16);
    say("no_handle", mublasSgemm(nullptr, N, N, 2, 2, 2, &one, a, 2, a, 2, &one, a, 2));
    say("negative", mublasSgemm(handle, N, N, -1, 2, 2, &one, a, 2, a, 2, &one, a, 2));
    say("leading", mublasSgemm(handle, N, N, 4, 2, 2, &one, a, 2, a, 2, &one, a, 4));
    say("null", mublasSgemm(handle, N, N, 2, 2, 2, &one, none, 2, a, 2, &one, a, 2));
    say("operation", mublasSgemm(handle, static_cast<mublasOperation_t>(7), N, 2, 2, 2, &one, a, 2, a, 2, &one, a, 2));
    say("types", mublasGemmEx(handle, N, N, 2, 2, 2, &one, a, MUSA_R_32F, 2, a, MUSA_R_16F, 2, &one, a, MUSA_R_32F, 2,
                              MUBLAS_COMPUTE_32F, MUBLAS_GEMM_DEFAULT));
    mublasHandle_t other;
    BLAS(mublasCreate(&other));
    BLAS(mublasDestroy(other));
    say("destroyed", mublasSetStream(other, nullptr));
}

template <class T>
void run(const std::string& which, char** arguments) {
    if (which == "gemm") gemm<T>(arguments);
    if constexpr (!std::is_same<T, __half>::value) {
        if (which == "gemv") gemv<T>(arguments);
        if (which == "vectors") vectors<T>(arguments);
        if (which == "structured") structured<T>(arguments);
    }
}

int main(int, char** argv) {
    const std::string which = argv[1], type = argv[2] ? argv[2] : "";
    BLAS(mublasCreate(&handle));
    CHECK(musaStreamCreate(&stream));
    BLAS(mublasSetStream(handle, stream));
    char** rest = argv + 3;
    if (which == "refusals") refusals();
    if (which == "sums") sums(std::atoi(argv[2]));
    if (which == "spelled") spelled(argv + 2);
    if (which == "gemm_ex") {
        if (type == "half") gemm_ex<__half, __half, __half>(MUSA_R_16F, MUSA_R_16F, MUBLAS_COMPUTE_16F, rest);
        if (type == "half_float") gemm_ex<__half, float, float>(MUSA_R_16F, MUSA_R_32F, MUBLAS_COMPUTE_32F, rest);
        if (type == "bf16")
            gemm_ex<__mt_bfloat16, __mt_bfloat16, float>(MUSA_R_16BF, MUSA_R_16BF, MUBLAS_COMPUTE_32F, rest);
        if (type == "int8") gemm_ex<signed char, int, int>(MUSA_R_8I, MUSA_R_32I, MUBLAS_COMPUTE_32I, rest);
    } else {
        if (type == "S") run<float>(which, rest);
        if (type == "D") run<double>(which, rest);
        if (type == "C") run<muComplex>(which, rest);
        if (type == "Z") run<muDoubleComplex>(which, rest);
        if (type == "H") run<__half>(which, rest);
    }
    BLAS(mublasDestroy(handle));
}
