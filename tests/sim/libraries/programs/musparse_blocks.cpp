// musparse_blocks CASE NUMBERS...: products and solvers with the matrix of blocks on stdin, in a stream; conversions.
#include <musparse.h>
#include <program.h>

namespace {

void check(musparseStatus_t status, const char* what) {
    if (status == MUSPARSE_STATUS_SUCCESS) return;
    std::fprintf(stderr, "%s: %s\n", what, musparseGetErrorName(status));
    std::exit(4);
}

musparseHandle_t handle;
musaStream_t stream;

template <class T>
struct Functions;
#define FUNCTIONS(L, T)                                                      \
    template <>                                                              \
    struct Functions<T> {                                                    \
        static constexpr auto mv = musparse##L##bsrmv;                       \
        static constexpr auto mm = musparse##L##bsrmm;                       \
        static constexpr auto sv_size = musparse##L##bsrsv2_bufferSize;      \
        static constexpr auto sv_analysis = musparse##L##bsrsv2_analysis;    \
        static constexpr auto sv_solve = musparse##L##bsrsv2_solve;          \
        static constexpr auto sm_size = musparse##L##bsrsm2_bufferSize;      \
        static constexpr auto sm_analysis = musparse##L##bsrsm2_analysis;    \
        static constexpr auto sm_solve = musparse##L##bsrsm2_solve;          \
        static constexpr auto to_blocks = musparse##L##csr2bsr;              \
        static constexpr auto to_entries = musparse##L##bsr2csr;             \
    };
FUNCTIONS(S, float)
FUNCTIONS(D, double)
FUNCTIONS(C, muComplex)
FUNCTIONS(Z, muDoubleComplex)

musparseMatDescr_t description(int base, int fill = 0, int diagonal = 0) {
    musparseMatDescr_t made;
    check(musparseCreateMatDescr(&made), "description");
    check(musparseSetMatIndexBase(made, static_cast<musparseIndexBase_t>(base)), "base");
    check(musparseSetMatFillMode(made, static_cast<musparseFillMode_t>(fill)), "fill");
    check(musparseSetMatDiagType(made, static_cast<musparseDiagType_t>(diagonal)), "diagonal");
    return made;
}

template <class T>
void write(DeviceArray<T>& array) {
    CHECK(musaStreamSynchronize(stream));
    array.write();
}

// The numbers: direction, base, rows and columns of blocks, blocks, their size, then those of the case.
struct Blocks {
    explicit Blocks(const std::vector<int>& n)
        : direction(static_cast<musparseDirection_t>(n[0])), base(n[1]), rows(n[2]), columns(n[3]), count(n[4]), dim(n[5]) {}
    musparseDirection_t direction;
    int base, rows, columns, count, dim;
};

// On the device, alpha and beta are read when the work runs.
template <class T>
void multiply(const Blocks& n, int wide, int op_b, bool on_device) {
    auto& begins = input<int>(n.rows + 1);
    auto& indices = input<int>(n.count);
    auto& values = input<T>(std::size_t(n.count) * n.dim * n.dim);
    auto& scalars = input<T>(2);
    auto& b = input<T>(std::size_t(n.columns) * n.dim * wide);
    auto& c = input<T>(std::size_t(n.rows) * n.dim * wide);
    const std::vector<T> host = scalars.host();
    check(musparseSetPointerMode(handle, on_device ? MUSPARSE_POINTER_MODE_DEVICE : MUSPARSE_POINTER_MODE_HOST), "mode");
    const T* const alpha = on_device ? static_cast<T*>(scalars) : host.data();
    const auto plain = MUSPARSE_OPERATION_NON_TRANSPOSE;
    const musparseMatDescr_t a = description(n.base);
    if (wide == 1) {
        check(Functions<T>::mv(handle, n.direction, plain, n.rows, n.columns, n.count, alpha, a, values, begins, indices, n.dim, b, alpha + 1, c), "bsrmv");
    } else {
        const int ldb = op_b ? wide : n.columns * n.dim;
        check(Functions<T>::mm(handle, n.direction, plain, static_cast<musparseOperation_t>(op_b), n.rows, wide, n.columns, n.count, alpha, a, values, begins, indices, n.dim, b, ldb, alpha + 1, c, n.rows * n.dim), "bsrmm");
    }
    check(musparseDestroyMatDescr(a), "description");
    write(c);
}

template <class T>
void solve(const Blocks& n, int wide, int op_a, int op_x, int fill, int diagonal) {
    auto& begins = input<int>(n.rows + 1);
    auto& indices = input<int>(n.count);
    auto& values = input<T>(std::size_t(n.count) * n.dim * n.dim);
    auto& scalars = input<T>(1);
    auto& b = input<T>(std::size_t(n.rows) * n.dim * wide);
    DeviceArray<T> x(std::size_t(n.rows) * n.dim * wide);
    const T alpha = scalars.host()[0];
    const musparseMatDescr_t a = description(n.base, fill, diagonal);
    const auto of_a = static_cast<musparseOperation_t>(op_a), of_x = static_cast<musparseOperation_t>(op_x);
    const auto policy = MUSPARSE_SOLVE_POLICY_USE_LEVEL;
    int bytes = 0, first = 5, second = 5;
    musparseStatus_t found = MUSPARSE_STATUS_SUCCESS;
    if (wide == 1) {
        bsrsv2Info_t info;
        check(musparseCreateBsrsv2Info(&info), "info");
        check(Functions<T>::sv_size(handle, n.direction, of_a, n.rows, n.count, a, values, begins, indices, n.dim, info, &bytes), "size");
        DeviceArray<char> buffer(bytes);
        check(Functions<T>::sv_analysis(handle, n.direction, of_a, n.rows, n.count, a, values, begins, indices, n.dim, info, policy, buffer), "analysis");
        musparseXbsrsv2_zeroPivot(handle, info, &first);
        check(Functions<T>::sv_solve(handle, n.direction, of_a, n.rows, n.count, &alpha, a, values, begins, indices, n.dim, info, b, x, policy, buffer), "solve");
        found = musparseXbsrsv2_zeroPivot(handle, info, &second);
        check(musparseDestroyBsrsv2Info(info), "info");
    } else {
        bsrsm2Info_t info;
        const int ld = op_x ? wide : n.rows * n.dim;
        check(musparseCreateBsrsm2Info(&info), "info");
        check(Functions<T>::sm_size(handle, n.direction, of_a, of_x, n.rows, wide, n.count, a, values, begins, indices, n.dim, info, &bytes), "size");
        DeviceArray<char> buffer(bytes);
        check(Functions<T>::sm_analysis(handle, n.direction, of_a, of_x, n.rows, wide, n.count, a, values, begins, indices, n.dim, info, policy, buffer), "analysis");
        musparseXbsrsm2_zeroPivot(handle, info, &first);
        check(Functions<T>::sm_solve(handle, n.direction, of_a, of_x, n.rows, wide, n.count, &alpha, a, values, begins, indices, n.dim, info, b, ld, x, ld, policy, buffer), "solve");
        found = musparseXbsrsm2_zeroPivot(handle, info, &second);
        check(musparseDestroyBsrsm2Info(info), "info");
    }
    std::fprintf(stderr, "%d %d %s\n", first, second, musparseGetErrorName(found));
    write(x);
}

// Rows to blocks, with the count in host memory, and back; writes both.
template <class T>
void convert(int direction, int base, int rows, int columns, int count, int dim) {
    auto& begins = input<int>(rows + 1);
    auto& indices = input<int>(count);
    auto& values = input<T>(count);
    const auto way = static_cast<musparseDirection_t>(direction);
    const int block_rows = (rows + dim - 1) / dim, block_columns = (columns + dim - 1) / dim;
    const musparseMatDescr_t from = description(base), to = description(1 - base);
    DeviceArray<int> block_begins(block_rows + 1);
    int blocks = 0;
    check(musparseXcsr2bsrNnz(handle, way, rows, columns, from, begins, indices, dim, to, block_begins, &blocks), "count");
    DeviceArray<int> block_indices(blocks);
    DeviceArray<T> block_values(std::size_t(blocks) * dim * dim);
    check(Functions<T>::to_blocks(handle, way, rows, columns, from, values, begins, indices, dim, to, block_values, block_begins, block_indices), "blocks");
    const int entries = blocks * dim * dim;
    DeviceArray<int> row_begins(block_rows * dim + 1), column_indices(entries);
    DeviceArray<T> again(entries);
    check(Functions<T>::to_entries(handle, way, block_rows, block_columns, to, block_values, block_begins, block_indices, dim, from, again, row_begins, column_indices), "entries");
    std::fprintf(stderr, "%d\n", blocks);
    write(block_begins), write(block_indices), write(block_values), write(row_begins), write(column_indices), write(again);
}

void refused() {
    DeviceArray<float> x(16);
    DeviceArray<int> index(4);
    const float one = 1;
    const musparseMatDescr_t a = description(0), symmetric = description(0);
    check(musparseSetMatType(symmetric, MUSPARSE_MATRIX_TYPE_SYMMETRIC), "type");
    const auto tell = [](const char* what, musparseStatus_t status) { std::printf("%s=%s\n", what, musparseGetErrorName(status)); };
    const auto multiply = [&](musparseHandle_t h, musparseOperation_t op, musparseMatDescr_t described, int dim, int direction) {
        return musparseSbsrmv(h, static_cast<musparseDirection_t>(direction), op, 1, 1, 1, &one, described, x, index, index, dim, x, &one, x);
    };
    const auto plain = MUSPARSE_OPERATION_NON_TRANSPOSE;
    tell("no handle", multiply(nullptr, plain, a, 2, 0));
    tell("transposed", multiply(handle, MUSPARSE_OPERATION_TRANSPOSE, a, 2, 0));
    tell("symmetric", multiply(handle, plain, symmetric, 2, 0));
    tell("no description", multiply(handle, plain, nullptr, 2, 0));
    tell("no size", multiply(handle, plain, a, 0, 0));
    tell("no such direction", multiply(handle, plain, a, 2, 7));
    tell("short lines", musparseSbsrmm(handle, MUSPARSE_DIRECTION_ROW, plain, plain, 1, 2, 1, 1, &one, a, x, index, index, 2, x, 1, &one, x, 2));
    tell("no info", musparseSbsrsv2_analysis(handle, MUSPARSE_DIRECTION_ROW, plain, 1, 1, a, x, index, index, 2, nullptr, MUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr));
}

template <class T>
void run(const std::string& name, const std::vector<int>& n) {
    if (name == "multiply") multiply<T>(Blocks(n), n[6], n[7], n[8] != 0);
    if (name == "solve") solve<T>(Blocks(n), n[6], n[7], n[8], n[9], n[10]);
    if (name == "convert") convert<T>(n[0], n[1], n[2], n[3], n[4], n[5]);
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1], type = argv[2];
    std::vector<int> numbers;
    for (char** word = argv + 3; *word; ++word) numbers.push_back(std::atoi(*word));
    CHECK(musaStreamCreate(&stream));
    check(musparseCreate(&handle), "create");
    check(musparseSetStream(handle, stream), "stream");
    if (type == "S") run<float>(name, numbers);
    if (type == "D") run<double>(name, numbers);
    if (type == "C") run<muComplex>(name, numbers);
    if (type == "Z") run<muDoubleComplex>(name, numbers);
    if (name == "refused") refused();
    check(musparseDestroy(handle), "destroy");
}
