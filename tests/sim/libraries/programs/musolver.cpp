// musolver TYPE CASE NUMBERS...: one factorisation of the matrices on stdin, in a stream; writes what it made.
#include <musolver.h>
#include <program.h>

#include <cstdint>

namespace {

void check(musolverStatus_t status, const char* what) {
    if (status == MUSOLVER_STATUS_SUCCESS) return;
    std::fprintf(stderr, "%s: status %d\n", what, status);
    std::exit(4);
}

musolverDnHandle_t handle;
musaStream_t stream;

// The functions of one type, by the names that all have in common.
#define FUNCTIONS(L, Element, RealElement, OR, SY)                                                           \
    struct Of##L {                                                                                           \
        using T = Element;                                                                                   \
        using R = RealElement;                                                                               \
        static constexpr auto getrf_size = musolverDn##L##getrf_bufferSize;                                  \
        static constexpr auto getrf = musolverDn##L##getrf;                                                  \
        static constexpr auto getrs = musolverDn##L##getrs;                                                  \
        static constexpr auto potrf_size = musolverDn##L##potrf_bufferSize;                                  \
        static constexpr auto potrf = musolverDn##L##potrf;                                                  \
        static constexpr auto potrs = musolverDn##L##potrs;                                                  \
        static constexpr auto potrf_batched = musolverDn##L##potrfBatched;                                   \
        static constexpr auto potrs_batched = musolverDn##L##potrsBatched;                                   \
        static constexpr auto geqrf_size = musolverDn##L##geqrf_bufferSize;                                  \
        static constexpr auto geqrf = musolverDn##L##geqrf;                                                  \
        static constexpr auto orgqr_size = musolverDn##L##OR##gqr_bufferSize;                                \
        static constexpr auto orgqr = musolverDn##L##OR##gqr;                                                \
        static constexpr auto ormqr_size = musolverDn##L##OR##mqr_bufferSize;                                \
        static constexpr auto ormqr = musolverDn##L##OR##mqr;                                                \
        static constexpr auto syevd_size = musolverDn##L##SY##evd_bufferSize;                                \
        static constexpr auto syevd = musolverDn##L##SY##evd;                                                \
        static constexpr auto gesvd_size = musolverDn##L##gesvd_bufferSize;                                  \
        static constexpr auto gesvd = musolverDn##L##gesvd;                                                  \
        static constexpr mublasOperation_t adjoint = #OR[0] == 'u' ? MUBLAS_OP_C : MUBLAS_OP_T;              \
    };
FUNCTIONS(S, float, float, or, sy)
FUNCTIONS(D, double, double, or, sy)
FUNCTIONS(C, muComplex, float, un, he)
FUNCTIONS(Z, muDoubleComplex, double, un, he)

// LU of a, and the solution of op(a) x = b.
template <class F>
void lu(int n, int nrhs, int operation, bool pivoting) {
    using T = typename F::T;
    DeviceArray<T>& a = input<T>(n * n);
    DeviceArray<T>& b = input<T>(n * nrhs);
    DeviceArray<int> pivots(n), info(2);
    int size = 0;
    check(F::getrf_size(handle, n, n, a, n, &size), "getrf_bufferSize");
    DeviceArray<T> work(size);
    int* const rows = pivoting ? static_cast<int*>(pivots) : nullptr;
    check(F::getrf(handle, n, n, a, n, work, rows, info), "getrf");
    check(F::getrs(handle, static_cast<mublasOperation_t>(operation), n, nrhs, a, n, rows, b, n, info + 1), "getrs");
    CHECK(musaStreamSynchronize(stream));
    a.write(), b.write(), pivots.write(), info.write();
}

template <class F>
void cholesky(int n, int nrhs, int uplo) {
    using T = typename F::T;
    const auto fill = static_cast<mublasFillMode_t>(uplo);
    DeviceArray<T>& a = input<T>(n * n);
    DeviceArray<T>& b = input<T>(n * nrhs);
    DeviceArray<int> info(2);
    int size = 0;
    check(F::potrf_size(handle, fill, n, a, n, &size), "potrf_bufferSize");
    DeviceArray<T> work(size);
    check(F::potrf(handle, fill, n, a, n, work, size, info), "potrf");
    check(F::potrs(handle, fill, n, nrhs, a, n, b, n, info + 1), "potrs");
    CHECK(musaStreamSynchronize(stream));
    a.write(), b.write(), info.write();
}

template <class F>
void batches(int n, int count) {
    using T = typename F::T;
    DeviceArray<T>& a = input<T>(n * n * count);
    DeviceArray<T>& b = input<T>(n * count);
    std::vector<T*> matrices, sides;
    for (int i = 0; i < count; ++i) matrices.push_back(a + i * n * n), sides.push_back(b + i * n);
    DeviceArray<T*> a_at(count), b_at(count);
    CHECK(musaMemcpy(a_at, matrices.data(), count * sizeof(T*), musaMemcpyHostToDevice));
    CHECK(musaMemcpy(b_at, sides.data(), count * sizeof(T*), musaMemcpyHostToDevice));
    DeviceArray<int> info(count + 1);
    check(F::potrf_batched(handle, MUBLAS_FILL_MODE_LOWER, n, a_at, n, info, count), "potrfBatched");
    check(F::potrs_batched(handle, MUBLAS_FILL_MODE_LOWER, n, 1, a_at, n, b_at, n, info + count, count), "potrsBatched");
    CHECK(musaStreamSynchronize(stream));
    a.write(), b.write(), info.write();
}

// Q and R of an m x n matrix, and Q^H times another one.
template <class F>
void qr(int m, int n, int columns) {
    using T = typename F::T;
    const int k = std::min(m, n);
    DeviceArray<T>& a = input<T>(m * n);
    DeviceArray<T>& c = input<T>(m * columns);
    DeviceArray<T> tau(k);
    DeviceArray<int> info(3);
    int sizes[3] = {};
    check(F::geqrf_size(handle, m, n, a, m, &sizes[0]), "geqrf_bufferSize");
    check(F::ormqr_size(handle, MUBLAS_SIDE_LEFT, F::adjoint, m, columns, k, a, m, tau, c, m, &sizes[1]), "ormqr_bufferSize");
    check(F::orgqr_size(handle, m, k, k, a, m, tau, &sizes[2]), "orgqr_bufferSize");
    const int size = std::max(sizes[0], std::max(sizes[1], sizes[2]));
    DeviceArray<T> work(size), factors(m * n);
    check(F::geqrf(handle, m, n, a, m, tau, work, size, info), "geqrf");
    CHECK(musaMemcpyAsync(factors, a, m * n * sizeof(T), musaMemcpyDeviceToDevice, stream));
    check(F::ormqr(handle, MUBLAS_SIDE_LEFT, F::adjoint, m, columns, k, a, m, tau, c, m, work, size, info + 1), "ormqr");
    check(F::orgqr(handle, m, k, k, a, m, tau, work, size, info + 2), "orgqr");
    CHECK(musaStreamSynchronize(stream));
    factors.write(), a.write(), c.write(), info.write();
}

template <class F>
void eigen(int n, int uplo, int vectors) {
    using T = typename F::T;
    DeviceArray<T>& a = input<T>(n * n);
    DeviceArray<typename F::R> values(n);
    DeviceArray<int> info(1);
    const auto mode = static_cast<musolverEigMode_t>(vectors);
    const auto fill = static_cast<mublasFillMode_t>(uplo);
    int size = 0;
    check(F::syevd_size(handle, mode, fill, n, a, n, values, &size), "syevd_bufferSize");
    DeviceArray<T> work(size);
    check(F::syevd(handle, mode, fill, n, a, n, values, work, size, info), "syevd");
    CHECK(musaStreamSynchronize(stream));
    a.write(), values.write(), info.write();
}

template <class F>
void svd(int m, int n) {
    using T = typename F::T;
    DeviceArray<T>& a = input<T>(m * n);
    DeviceArray<T> u(m * m), vt(n * n);
    DeviceArray<typename F::R> s(n), rest(n);
    DeviceArray<int> info(1);
    int size = 0;
    check(F::gesvd_size(handle, m, n, &size), "gesvd_bufferSize");
    DeviceArray<T> work(size);
    check(F::gesvd(handle, 'A', 'A', m, n, a, m, s, u, m, vt, n, work, size, rest, info), "gesvd");
    CHECK(musaStreamSynchronize(stream));
    u.write(), s.write(), vt.write(), info.write();
}

// A factorisation is captured and launched twice, each time for new values.
void graph() {
    DeviceArray<float> a(4), work(1024);
    DeviceArray<int> info(1);
    CHECK(musaDeviceSynchronize());
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeGlobal));
    check(musolverDnSpotrf(handle, MUBLAS_FILL_MODE_LOWER, 2, a, 2, work, 1024, info), "potrf");
    musaGraph_t captured;
    musaGraphExec_t exec;
    CHECK(musaStreamEndCapture(stream, &captured));
    CHECK(musaGraphInstantiate(&exec, captured, 0));
    std::printf("not yet=%g\n", a.host()[0]);
    for (float diagonal : {4.0f, 9.0f, -1.0f}) {
        const float values[4] = {diagonal, 0, 0, 1};
        CHECK(musaMemcpy(a, values, sizeof values, musaMemcpyHostToDevice));
        CHECK(musaGraphLaunch(exec, stream));
        CHECK(musaStreamSynchronize(stream));
        std::printf("%g=%g, %d\n", diagonal, a.host()[0], info.host()[0]);
    }
}

void errors() {
    DeviceArray<float> a(16), work(4096);
    DeviceArray<int> info(1);
    int size = 0;
    const auto tell = [](const char* what, musolverStatus_t status) { std::printf("%s=%d\n", what, status); };
    tell("no handle", musolverDnSgetrf_bufferSize(nullptr, 4, 4, a, 4, &size));
    tell("negative size", musolverDnSgetrf_bufferSize(handle, -1, 4, a, 4, &size));
    tell("leading dimension", musolverDnSgetrf(handle, 4, 4, a, 3, work, nullptr, info));
    tell("no info", musolverDnSgetrf(handle, 4, 4, a, 4, work, nullptr, nullptr));
    tell("no matrix", musolverDnSpotrf(handle, MUBLAS_FILL_MODE_LOWER, 4, nullptr, 4, work, 4096, info));
    tell("triangle", musolverDnSpotrf(handle, static_cast<mublasFillMode_t>(7), 4, a, 4, work, 4096, info));
    tell("workspace", musolverDnSgeqrf(handle, 4, 4, a, 4, a, work, 3, info));
    tell("wide", musolverDnSgesvd_bufferSize(handle, 3, 4, &size));
    tell("operation", musolverDnSgetrs(handle, static_cast<mublasOperation_t>(9), 4, 1, a, 4, nullptr, a, 4, info));
    tell("empty", musolverDnSgetrf(handle, 0, 0, a, 1, work, nullptr, info));
    CHECK(musaStreamSynchronize(stream));
}

template <class F>
void run(const std::string& name, const std::vector<int>& n) {
    if (name == "lu") lu<F>(n[0], n[1], n[2], n[3] != 0);
    if (name == "cholesky") cholesky<F>(n[0], n[1], n[2]);
    if (name == "batches") batches<F>(n[0], n[1]);
    if (name == "qr") qr<F>(n[0], n[1], n[2]);
    if (name == "eigen") eigen<F>(n[0], n[1], n[2]);
    if (name == "svd") svd<F>(n[0], n[1]);
}

}  // namespace

int main(int, char** argv) {
    const std::string type = argv[1];
    std::vector<int> numbers;
    for (char** word = argv + 3; argv[2] && *word; ++word) numbers.push_back(std::atoi(*word));
    CHECK(musaStreamCreate(&stream));
    check(musolverDnCreate(&handle), "musolverDnCreate");
    check(musolverDnSetStream(handle, stream), "musolverDnSetStream");
    if (type == "graph") graph();
    if (type == "errors") errors();
    if (type == "S") run<OfS>(argv[2], numbers);
    if (type == "D") run<OfD>(argv[2], numbers);
    if (type == "C") run<OfC>(argv[2], numbers);
    if (type == "Z") run<OfZ>(argv[2], numbers);
    check(musolverDnDestroy(handle), "musolverDnDestroy");
}
