// mublasLt_random: products of matrices anywhere in memory, described on stdin one after the other; writes D, the bias and
// the auxiliary matrix of each, padding included.
#include "mublasLt_descriptions.h"

namespace {

using Number = std::int64_t;

// A matrix in memory: its description, and the bytes that hold it with its padding.
struct Matrix {
    Number type, rows, columns, ld, order, stride, bytes;
};

struct Product {
    Matrix a, b, c, d;
    Number compute, scale, op_a, op_b, epilogue, mode, batches;
    Number alpha_bytes, beta_bytes, alpha_stride, bias_bytes, bias_stride, type_beside_d, aux_bytes, aux_ld, aux_stride, in_place;
};

mublasLtMatrixLayout_t layout_of(const Matrix& m, Number batches) {
    mublasLtMatrixLayout_t layout;
    check(mublasLtMatrixLayoutCreate(&layout, static_cast<musaDataType_t>(m.type), m.rows, m.columns, m.ld), "layout");
    set(layout, MUBLASLT_MATRIX_LAYOUT_ORDER, std::int32_t(m.order));
    set(layout, MUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t(batches));
    set(layout, MUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t(m.stride));
    return layout;
}

// alpha or beta: on the device if the mode says so.
const void* factor(DeviceArray<char>& on_device, std::vector<char>& on_host, bool device) {
    on_host = on_device.host();
    return device ? static_cast<const void*>(static_cast<char*>(on_device)) : on_host.data();
}

void multiply(const Product& p) {
    auto &alpha = input<char>(p.alpha_bytes), &beta = input<char>(p.beta_bytes);
    auto &a = input<char>(p.a.bytes), &b = input<char>(p.b.bytes), &c = input<char>(p.c.bytes), &d = input<char>(p.d.bytes);
    auto &bias = input<char>(p.bias_bytes), &aux = input<char>(p.aux_bytes);
    mublasLtMatmulDesc_t desc;
    check(mublasLtMatmulDescCreate(&desc, static_cast<mublasComputeType_t>(p.compute), static_cast<musaDataType_t>(p.scale)), "desc");
    set(desc, MUBLASLT_MATMUL_DESC_TRANSA, std::int32_t(p.op_a));
    set(desc, MUBLASLT_MATMUL_DESC_TRANSB, std::int32_t(p.op_b));
    set(desc, MUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t(p.mode));
    set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t(p.epilogue));
    set(desc, MUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void*>(static_cast<char*>(bias)));
    set(desc, MUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, std::int64_t(p.bias_stride));
    set(desc, MUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, std::int32_t(p.type_beside_d));
    set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, static_cast<void*>(static_cast<char*>(aux)));
    set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t(p.aux_ld));
    set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, std::int64_t(p.aux_stride));
    set(desc, MUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, std::int32_t(p.type_beside_d));
    set(desc, MUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, std::int64_t(p.alpha_stride));
    const mublasLtMatrixLayout_t a_is = layout_of(p.a, p.batches), b_is = layout_of(p.b, p.batches),
                                 c_is = layout_of(p.c, p.batches), d_is = layout_of(p.d, p.batches);
    std::vector<char> alpha_host, beta_host;
    const void* const by = factor(alpha, alpha_host, p.mode != MUBLASLT_POINTER_MODE_HOST);
    const void* const kept =
        factor(beta, beta_host, p.mode == MUBLASLT_POINTER_MODE_DEVICE || p.mode == MUBLASLT_POINTER_MODE_DEVICE_VECTOR);
    char* const result = p.in_place ? c : d;
    check(mublasLtMatmul(handle, desc, by, a, a_is, b, b_is, p.mode == MUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO ? nullptr : kept,
                         c, c_is, result, d_is, nullptr, nullptr, 0, stream), "matmul");
    for (mublasLtMatrixLayout_t layout : {a_is, b_is, c_is, d_is}) check(mublasLtMatrixLayoutDestroy(layout), "layout");
    check(mublasLtMatmulDescDestroy(desc), "desc");
    CHECK(musaStreamSynchronize(stream));
    (p.in_place ? c : d).write();
    bias.write();
    aux.write();
    for (DeviceArray<char>* array : {&alpha, &beta, &a, &b, &c, &d, &bias, &aux}) delete array;
}

}  // namespace

int main() {
    CHECK(musaStreamCreate(&stream));
    check(mublasLtCreate(&handle), "create");
    for (Product product; std::fread(&product, sizeof product, 1, stdin) == 1;) multiply(product);
    check(mublasLtDestroy(handle), "destroy");
}
