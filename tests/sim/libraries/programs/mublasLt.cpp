// mublasLt CASE NUMBERS...: a product with its epilogue of the matrices on stdin, in a stream; writes D.
#include "mublasLt_descriptions.h"

namespace {

char* from_stdin(std::size_t bytes) { return input<char>(bytes); }

enum Number { type, type_out, compute, scale, op_a, op_b, epilogue, rows, columns, depth, order, batches, in_place, on_device };

void multiply(const std::vector<int>& n) {
    char* const scalars = from_stdin(2 * size_of(n[scale]));
    std::vector<char> host(2 * size_of(n[scale]));
    CHECK(musaMemcpy(host.data(), scalars, host.size(), musaMemcpyDeviceToHost));
    const char* const alpha = n[on_device] ? scalars : host.data();
    char* const a = from_stdin(std::size_t(n[rows]) * n[depth] * n[batches] * size_of(n[type]));
    char* const b = from_stdin(std::size_t(n[columns]) * n[depth] * n[batches] * size_of(n[type]));
    const std::size_t bytes = std::size_t(n[rows]) * n[columns] * n[batches] * size_of(n[type_out]);
    char* const c = from_stdin(bytes);
    char* const bias = from_stdin(n[rows] * size_of(n[type_out]));
    DeviceArray<char> other(bytes);
    char* const d = n[in_place] ? c : static_cast<char*>(other);
    mublasLtMatmulDesc_t desc;
    check(mublasLtMatmulDescCreate(&desc, static_cast<mublasComputeType_t>(n[compute]), static_cast<musaDataType_t>(n[scale])), "desc");
    set(desc, MUBLASLT_MATMUL_DESC_TRANSA, std::int32_t(n[op_a]));
    set(desc, MUBLASLT_MATMUL_DESC_TRANSB, std::int32_t(n[op_b]));
    set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t(n[epilogue]));
    set(desc, MUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(bias));
    set(desc, MUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t(n[on_device]));
    const bool plain_a = n[op_a] == MUBLAS_OP_N, plain_b = n[op_b] == MUBLAS_OP_N;
    const mublasLtMatrixLayout_t a_is = layout_of(n[type], plain_a ? n[rows] : n[depth], plain_a ? n[depth] : n[rows], n[order], n[batches]);
    const mublasLtMatrixLayout_t b_is = layout_of(n[type], plain_b ? n[depth] : n[columns], plain_b ? n[columns] : n[depth], n[order], n[batches]);
    const mublasLtMatrixLayout_t c_is = layout_of(n[type_out], n[rows], n[columns], n[order], n[batches]);
    mublasLtMatmulPreference_t preference;
    check(mublasLtMatmulPreferenceCreate(&preference), "preference");
    const std::size_t most = 1 << 20;
    check(mublasLtMatmulPreferenceSetAttribute(preference, MUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most), "workspace");
    mublasLtMatmulHeuristicResult_t found[2];
    int count = 0;
    check(mublasLtMatmulAlgoGetHeuristic(handle, desc, a_is, b_is, c_is, c_is, preference, 2, found, &count), "heuristic");
    if (count != 1 || found[0].state != MUBLAS_STATUS_SUCCESS || found[0].workspaceSize > most) std::exit(5);
    check(mublasLtMatmul(handle, desc, alpha, a, a_is, b, b_is, alpha + size_of(n[scale]), c, c_is, d, c_is, &found[0].algo, nullptr, 0, stream), "matmul");
    for (mublasLtMatrixLayout_t layout : {a_is, b_is, c_is}) check(mublasLtMatrixLayoutDestroy(layout), "layout");
    check(mublasLtMatmulPreferenceDestroy(preference), "preference"), check(mublasLtMatmulDescDestroy(desc), "desc");
    CHECK(musaStreamSynchronize(stream));
    std::vector<char> result(bytes);
    CHECK(musaMemcpy(result.data(), d, bytes, musaMemcpyDeviceToHost));
    std::fwrite(result.data(), 1, bytes, stdout);
}

// alpha a vector in device memory, beta as the mode says; the descriptions are on the stack.
void vectors(const std::vector<int>& n) {
    const int m = n[0], columns = n[1], depth = n[2], mode = n[3];
    auto& alpha = input<float>(m);
    auto& beta = input<float>(m);
    auto& a = input<float>(m * depth);
    auto& b = input<float>(depth * columns);
    auto& c = input<float>(m * columns);
    const float on_host = beta.host()[0];
    mublasLtMatmulDescOpaque_t desc;
    check(mublasLtMatmulDescInit(&desc, MUBLAS_COMPUTE_32F, MUSA_R_32F), "desc");
    set(&desc, MUBLASLT_MATMUL_DESC_POINTER_MODE, static_cast<mublasLtPointerMode_t>(mode));
    mublasLtMatrixLayoutOpaque_t a_is, b_is, c_is;
    check(mublasLtMatrixLayoutInit(&a_is, MUSA_R_32F, m, depth, m), "layout");
    check(mublasLtMatrixLayoutInit(&b_is, MUSA_R_32F, depth, columns, depth), "layout");
    check(mublasLtMatrixLayoutInit(&c_is, MUSA_R_32F, m, columns, m), "layout");
    mublasLtMatmulPreferenceOpaque_t preference;
    check(mublasLtMatmulPreferenceInit(&preference), "preference");
    std::size_t most = 4096, stored = 0;
    check(mublasLtMatmulPreferenceSetAttribute(&preference, MUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most), "workspace");
    check(mublasLtMatmulPreferenceGetAttribute(&preference, MUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &stored, sizeof stored, nullptr), "workspace");
    if (stored != most) std::exit(5);
    mublasLtMatmulHeuristicResult_t found;
    int count = 0;
    check(mublasLtMatmulAlgoGetHeuristic(handle, &desc, &a_is, &b_is, &c_is, &c_is, &preference, 1, &found, &count), "heuristic");
    const void* const kept = mode == MUBLASLT_POINTER_MODE_DEVICE_VECTOR ? static_cast<float*>(beta)
                             : mode == MUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST ? &on_host : nullptr;
    check(mublasLtMatmul(handle, &desc, alpha, a, &a_is, b, &b_is, kept, c, &c_is, c, &c_is, &found.algo, nullptr, 0, stream), "matmul");
    CHECK(musaStreamSynchronize(stream));
    c.write();
}

void others() {
    DeviceArray<float> a(4), b(4), c(4);
    const auto tell = [](const char* what, mublasStatus_t status) { std::printf("%s=%s\n", what, mublasGetStatusString(status)); };
    mublasLtMatmulDesc_t desc;
    check(mublasLtMatmulDescCreate(&desc, MUBLAS_COMPUTE_32F, MUSA_R_32F), "desc");
    const mublasLtMatrixLayout_t square = layout_of(MUSA_R_32F, 2, 2, MUBLASLT_ORDER_COL, 1), wide = layout_of(MUSA_R_32F, 3, 2, MUBLASLT_ORDER_COL, 1),
                                 bytes = layout_of(MUSA_R_8U, 2, 2, MUBLASLT_ORDER_COL, 1);
    const float alpha = 1, beta = 0;
    const auto multiply = [&](mublasLtHandle_t h, mublasLtMatrixLayout_t left, const void* from) {
        return mublasLtMatmul(h, desc, &alpha, from, left, b, left == bytes ? bytes : square, &beta, c, square, c, square, nullptr, nullptr, 0, stream);
    };
    const float values[4] = {1, 2, 3, 4};
    CHECK(musaMemcpy(b, values, sizeof values, musaMemcpyHostToDevice));
    CHECK(musaDeviceSynchronize());
    CHECK(musaStreamBeginCapture(stream, musaStreamCaptureModeGlobal));
    check(multiply(handle, square, a), "matmul");
    musaGraph_t graph;
    musaGraphExec_t exec;
    CHECK(musaStreamEndCapture(stream, &graph));
    CHECK(musaGraphInstantiate(&exec, graph, 0));
    for (float diagonal : {1.0f, 5.0f}) {
        const float from[4] = {diagonal, 0, 0, diagonal};
        CHECK(musaMemcpy(a, from, sizeof from, musaMemcpyHostToDevice));
        CHECK(musaGraphLaunch(exec, stream));
        CHECK(musaStreamSynchronize(stream));
        std::printf("%g=%g\n", diagonal, c.host()[3]);
    }
    tell("no handle", multiply(nullptr, square, a));
    tell("no matrix", multiply(handle, square, nullptr));
    tell("another size", multiply(handle, wide, a));
    tell("another type", multiply(handle, bytes, a));
    std::int32_t number = MUBLAS_OP_T;
    std::size_t written = 0;
    check(mublasLtMatmulDescSetAttribute(desc, MUBLASLT_MATMUL_DESC_TRANSA, &number, sizeof number), "trans");
    number = 0;
    tell("told", mublasLtMatmulDescGetAttribute(desc, MUBLASLT_MATMUL_DESC_TRANSA, &number, sizeof number, &written));
    std::printf("told is=%d, %zu\n", number, written);
    tell("wrong size", mublasLtMatmulDescSetAttribute(desc, MUBLASLT_MATMUL_DESC_TRANSA, &number, 8));
    tell("no such attribute", mublasLtMatmulDescSetAttribute(desc, static_cast<mublasLtMatmulDescAttributes_t>(9), &number, 4));
    std::uint32_t epilogue = MUBLASLT_EPILOGUE_BIAS;
    check(mublasLtMatmulDescSetAttribute(desc, MUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue), "epilogue");
    tell("no bias", multiply(handle, square, a));
    epilogue = 128;
    check(mublasLtMatmulDescSetAttribute(desc, MUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue), "epilogue");
    tell("another epilogue", multiply(handle, square, a));
    tell("layout", mublasLtMatrixLayoutDestroy(nullptr));
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    std::vector<int> numbers;
    for (char** word = argv + 2; *word; ++word) numbers.push_back(std::atoi(*word));
    CHECK(musaStreamCreate(&stream));
    check(mublasLtCreate(&handle), "create");
    if (name == "multiply") multiply(numbers);
    if (name == "vectors") vectors(numbers);
    if (name == "others") others();
    check(mublasLtDestroy(handle), "destroy");
}
