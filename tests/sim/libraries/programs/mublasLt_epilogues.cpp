// mublasLt_epilogues CASE NUMBERS...: products whose epilogues keep or read auxiliary matrices and biases, or scale 8-bit
// floats; transformations of matrices; what is refused.
#include "mublasLt_descriptions.h"

namespace {

void write(const void* device, std::size_t bytes) {
    std::vector<char> host(bytes);
    CHECK(musaMemcpy(host.data(), device, bytes, musaMemcpyDeviceToHost));
    std::fwrite(host.data(), 1, bytes, stdout);
}

enum Number {
    type_a, type_b, type_c, type_d, type_bias, type_aux, compute, scale, epilogue, rows, columns, depth, batches, biases, aux_ld,
    aux_bytes, explicit_types, scaled
};

// A is transposed. D, the bias, the auxiliary matrix and the largest magnitudes are written.
void multiply(const std::vector<int>& n) {
    char* const a = input<char>(std::size_t(n[rows]) * n[depth] * n[batches] * size_of(n[type_a]));
    char* const b = input<char>(std::size_t(n[columns]) * n[depth] * n[batches] * size_of(n[type_b]));
    const std::size_t elements = std::size_t(n[rows]) * n[columns] * n[batches];
    char* const c = input<char>(elements * size_of(n[type_c]));
    const std::size_t bias_bytes = std::size_t(n[biases]) * n[batches] * size_of(n[type_bias]);
    char* const bias = input<char>(bias_bytes);
    char* const aux = input<char>(std::size_t(n[aux_bytes]));
    float* const scales = input<float>(4);
    DeviceArray<char> d(elements * size_of(n[type_d]));
    DeviceArray<float> most(2);
    mublasLtMatmulDesc_t desc;
    check(mublasLtMatmulDescCreate(&desc, static_cast<mublasComputeType_t>(n[compute]), static_cast<musaDataType_t>(n[scale])), "desc");
    set(desc, MUBLASLT_MATMUL_DESC_TRANSA, std::int32_t(MUBLAS_OP_T));
    set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t(n[epilogue]));
    set(desc, MUBLASLT_MATMUL_DESC_FILL_MODE, std::int32_t(MUBLAS_FILL_MODE_FULL));
    set(desc, MUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t(1));
    set(desc, MUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, std::int32_t(2));
    set(desc, MUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(bias));
    set(desc, MUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, std::int64_t(n[biases]));
    set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(aux));
    set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t(n[aux_ld]));
    set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, std::int64_t(n[aux_ld]) * n[columns]);
    if (n[explicit_types]) {
        set(desc, MUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, std::int32_t(n[type_bias]));
        set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, std::int32_t(n[type_aux]));
    }
    const bool eight_bits = n[type_d] == MUSA_R_8F_E4M3 || n[type_d] == MUSA_R_8F_E5M2;
    if (n[scaled]) {
        set(desc, MUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<const void*>(scales));
        set(desc, MUBLASLT_MATMUL_DESC_B_SCALE_POINTER, static_cast<const void*>(scales + 1));
        set(desc, MUBLASLT_MATMUL_DESC_C_SCALE_POINTER, static_cast<const void*>(scales + 2));
    }
    if (n[scaled] && eight_bits) {
        set(desc, MUBLASLT_MATMUL_DESC_D_SCALE_POINTER, static_cast<const void*>(scales + 2));
        set(desc, MUBLASLT_MATMUL_DESC_AMAX_D_POINTER, static_cast<void*>(static_cast<float*>(most)));
    }
    if (n[scaled] && n[explicit_types]) {
        set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, static_cast<const void*>(scales + 3));
        set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, static_cast<void*>(static_cast<float*>(most) + 1));
    }
    const mublasLtMatrixLayout_t a_is = layout_of(n[type_a], n[depth], n[rows], MUBLASLT_ORDER_COL, n[batches]);
    const mublasLtMatrixLayout_t b_is = layout_of(n[type_b], n[depth], n[columns], MUBLASLT_ORDER_COL, n[batches]);
    const mublasLtMatrixLayout_t c_is = layout_of(n[type_c], n[rows], n[columns], MUBLASLT_ORDER_COL, n[batches]);
    const mublasLtMatrixLayout_t d_is = layout_of(n[type_d], n[rows], n[columns], MUBLASLT_ORDER_COL, n[batches]);
    int id = -1, count = 0;
    const auto type = [&](Number number) { return static_cast<musaDataType_t>(n[number]); };
    check(mublasLtMatmulAlgoGetIds(handle, static_cast<mublasComputeType_t>(n[compute]), type(scale), type(type_a), type(type_b), type(type_c), type(type_d), 1, &id, &count), "ids");
    mublasLtMatmulAlgo_t algorithm;
    check(mublasLtMatmulAlgoInit(handle, static_cast<mublasComputeType_t>(n[compute]), type(scale), type(type_a), type(type_b), type(type_c), type(type_d), id, &algorithm), "algorithm");
    mublasLtMatmulHeuristicResult_t result;
    check(mublasLtMatmulAlgoCheck(handle, desc, a_is, b_is, c_is, d_is, &algorithm, &result), "check");
    if (count != 1 || result.state != MUBLAS_STATUS_SUCCESS || result.workspaceSize != 0) std::exit(5);
    const float alpha = 0.5f, beta = 2;
    const double wide_alpha = 0.5, wide_beta = 2;
    const bool wide = n[scale] == MUSA_R_64F;
    check(mublasLtMatmul(handle, desc, wide ? static_cast<const void*>(&wide_alpha) : &alpha, a, a_is, b, b_is, wide ? static_cast<const void*>(&wide_beta) : &beta, c, c_is, d, d_is, &algorithm, nullptr, 0, stream), "matmul");
    CHECK(musaStreamSynchronize(stream));
    write(d, elements * size_of(n[type_d]));
    write(bias, bias_bytes);
    write(aux, std::size_t(n[aux_bytes]));
    write(most, 8);
}

// alpha op(A) + beta op(B): types, orders and operations of three matrices, the scale, the sizes of C, the batches.
void transform(const std::vector<int>& n) {
    const int scale_type = n[8], c_rows = n[9], c_columns = n[10], count = n[11], with_b = n[12], on_device = n[13];
    const auto layout = [&](int type, int order, int operation) {
        const bool plain = operation == MUBLAS_OP_N;
        return layout_of(type, plain ? c_rows : c_columns, plain ? c_columns : c_rows, order, count);
    };
    const std::size_t elements = std::size_t(c_rows) * c_columns * count, number = size_of(scale_type);
    char* const scalars = input<char>(2 * number);
    std::vector<char> host(2 * number);
    CHECK(musaMemcpy(host.data(), scalars, host.size(), musaMemcpyDeviceToHost));
    char* const a = input<char>(elements * size_of(n[0]));
    char* const b = input<char>(elements * size_of(n[3]));
    DeviceArray<char> c(elements * size_of(n[6]));
    mublasLtMatrixTransformDesc_t desc;
    check(mublasLtMatrixTransformDescCreate(&desc, static_cast<musaDataType_t>(scale_type)), "desc");
    const auto attribute = [&](mublasLtMatrixTransformDescAttributes_t which, std::int32_t value) {
        std::int32_t stored = -1;
        std::size_t size = 0;
        check(mublasLtMatrixTransformDescSetAttribute(desc, which, &value, sizeof value), "attribute");
        check(mublasLtMatrixTransformDescGetAttribute(desc, which, &stored, sizeof stored, &size), "attribute");
        if (stored != value || size != sizeof value) std::exit(5);
    };
    attribute(MUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, n[2]);
    attribute(MUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, n[5]);
    attribute(MUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, on_device);
    const char* const alpha = on_device ? scalars : host.data();
    const mublasLtMatrixLayout_t a_is = layout(n[0], n[1], n[2]), b_is = layout(n[3], n[4], n[5]), c_is = layout(n[6], n[7], MUBLAS_OP_N);
    check(mublasLtMatrixTransform(handle, desc, alpha, a, a_is, alpha + number, with_b ? b : nullptr, with_b ? b_is : nullptr, c, c_is, stream), "transform");
    check(mublasLtMatrixTransformDescDestroy(desc), "desc");
    CHECK(musaStreamSynchronize(stream));
    write(c, elements * size_of(n[6]));
}

void refused() {
    DeviceArray<float> memory(1024);
    float* const x = memory;
    const auto tell = [](const char* what, mublasStatus_t status) { std::printf("%s=%s\n", what, mublasGetStatusString(status)); };
    const float alpha = 1, beta = 0;
    const auto multiply = [&](const char* what, int type, std::uint32_t shaped, auto change) {
        mublasLtMatmulDescOpaque_t desc;
        check(mublasLtMatmulDescInit(&desc, MUBLAS_COMPUTE_32F, MUSA_R_32F), "desc");
        const mublasLtMatrixLayout_t square = layout_of(type, 8, 8, MUBLASLT_ORDER_COL, 1);
        set(&desc, MUBLASLT_MATMUL_DESC_EPILOGUE, shaped);
        set(&desc, MUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(x));
        set(&desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(x));
        set(&desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t(128));
        change(&desc, square);
        tell(what, mublasLtMatmul(handle, &desc, &alpha, x, square, x + 128, square, &beta, x + 256, square, x + 384, square, nullptr, nullptr, 0, stream));
        check(mublasLtMatrixLayoutDestroy(square), "layout");
    };
    using Desc = mublasLtMatmulDesc_t;
    using Layout = mublasLtMatrixLayout_t;
    multiply("fits", MUSA_R_32F, MUBLASLT_EPILOGUE_RELU_AUX, [](Desc, Layout) {});
    multiply("a mask's leading dimension", MUSA_R_32F, MUBLASLT_EPILOGUE_RELU_AUX, [](Desc desc, Layout) { set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t(64)); });
    multiply("a short auxiliary matrix", MUSA_R_32F, MUBLASLT_EPILOGUE_GELU_AUX, [](Desc desc, Layout) { set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t(0)); });
    multiply("no auxiliary matrix", MUSA_R_32F, MUBLASLT_EPILOGUE_DGELU, [](Desc desc, Layout) { set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(nullptr)); });
    multiply("no memory for the gradient", MUSA_R_32F, MUBLASLT_EPILOGUE_BGRADB, [](Desc desc, Layout) { set(desc, MUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(nullptr)); });
    multiply("a factor of a float matrix", MUSA_R_32F, MUBLASLT_EPILOGUE_DEFAULT, [x](Desc desc, Layout) { set(desc, MUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<const void*>(x)); });
    multiply("a factor of C beside floats", MUSA_R_32F, MUBLASLT_EPILOGUE_DEFAULT, [x](Desc desc, Layout) { set(desc, MUBLASLT_MATMUL_DESC_C_SCALE_POINTER, static_cast<const void*>(x)); });
    multiply("both of E5M2", MUSA_R_8F_E5M2, MUBLASLT_EPILOGUE_DEFAULT, [](Desc, Layout) {});
    multiply("tiles", MUSA_R_32F, MUBLASLT_EPILOGUE_DEFAULT, [](Desc, Layout layout) { set(layout, MUBLASLT_MATRIX_LAYOUT_ORDER, std::int32_t(MUBLASLT_ORDER_COL32)); });
    multiply("planes", MUSA_R_32F, MUBLASLT_EPILOGUE_DEFAULT, [](Desc, Layout layout) { set(layout, MUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, std::int64_t(64)); });
    multiply("a triangle", MUSA_R_32F, MUBLASLT_EPILOGUE_DEFAULT, [](Desc desc, Layout) { set(desc, MUBLASLT_MATMUL_DESC_FILL_MODE, std::int32_t(MUBLAS_FILL_MODE_LOWER)); });
    mublasLtMatmulAlgo_t algorithm;
    tell("no such algorithm", mublasLtMatmulAlgoInit(handle, MUBLAS_COMPUTE_32F, MUSA_R_32F, MUSA_R_32F, MUSA_R_32F, MUSA_R_32F, MUSA_R_32F, 1, &algorithm));
    CHECK(musaStreamSynchronize(stream));
}

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    std::vector<int> numbers;
    for (char** word = argv + 2; *word; ++word) numbers.push_back(std::atoi(*word));
    CHECK(musaStreamCreate(&stream));
    check(mublasLtCreate(&handle), "create");
    if (name == "multiply") multiply(numbers);
    if (name == "transform") transform(numbers);
    if (name == "refused") refused();
    check(mublasLtDestroy(handle), "destroy");
}
