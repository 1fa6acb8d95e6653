// muBLASLt: descriptions, and products with epilogues. See include/mublasLt.h.
#include <mublasLt.h>

#include <cmath>
#include <cstring>
#include <new>
#include <type_traits>
#include <vector>

#include "../enqueue.h"
#include "../mublas/gemm.h"

struct mublasLtContext {};

namespace {

struct Desc {
    std::int32_t compute = MUBLAS_COMPUTE_32F;
    std::int32_t scale = MUSA_R_32F;
    std::int32_t pointer_mode = MUBLASLT_POINTER_MODE_HOST;
    std::int32_t trans_a = MUBLAS_OP_N;
    std::int32_t trans_b = MUBLAS_OP_N;
    std::int32_t trans_c = MUBLAS_OP_N;
    std::uint32_t epilogue = MUBLASLT_EPILOGUE_DEFAULT;
    const void* bias = nullptr;
    std::int64_t bias_stride = 0;
};

struct Layout {
    std::uint32_t type = MUSA_R_32F;
    std::int32_t order = MUBLASLT_ORDER_COL;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::int64_t ld = 0;
    std::int32_t batches = 1;
    std::int64_t stride = 0;
};

// The criteria for choosing an algorithm; there is one.
struct Preference {
    std::uint64_t workspace = 0;
    std::uint32_t search_mode = 0;
    std::uint32_t alignments[4] = {256, 256, 256, 256};  // of A, B, C, D
};

// The content of an opaque structure.
template <class Object, class Opaque>
Object* inside(Opaque* opaque) {
    static_assert(sizeof(Object) <= sizeof opaque->data && std::is_trivially_copyable<Object>::value);
    return opaque ? std::launder(reinterpret_cast<Object*>(opaque->data)) : nullptr;
}
Desc* inside(mublasLtMatmulDesc_t desc) { return inside<Desc>(desc); }
Layout* inside(mublasLtMatrixLayout_t layout) { return inside<Layout>(layout); }
Preference* inside(mublasLtMatmulPreference_t preference) { return inside<Preference>(preference); }

template <class Opaque, class Object>
mublasStatus init(Opaque* opaque, const Object& object) {
    if (!opaque) return MUBLAS_STATUS_INVALID_VALUE;
    *opaque = {};
    new (opaque->data) Object(object);
    return MUBLAS_STATUS_SUCCESS;
}

template <class Opaque, class Object>
mublasStatus create(Opaque** opaque, const Object& object) {
    if (!opaque) return MUBLAS_STATUS_INVALID_VALUE;
    return init(*opaque = new Opaque, object);
}

Desc description(mublasComputeType_t compute, musaDataType_t scale) {
    Desc desc;
    desc.compute = compute;
    desc.scale = scale;
    return desc;
}

Layout layout_of(musaDataType_t type, uint64_t rows, uint64_t columns, int64_t ld) {
    Layout layout;
    layout.type = type;
    layout.rows = rows;
    layout.columns = columns;
    layout.ld = ld;
    return layout;
}

struct Attribute {
    void* at = nullptr;  // nullptr: no attribute has this number
    std::size_t size = 0;
};

template <class T>
Attribute attribute(T& field) {
    return {&field, sizeof field};
}

Attribute find(Desc& desc, mublasLtMatmulDescAttributes_t number) {
    switch (number) {
        case MUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return attribute(desc.compute);
        case MUBLASLT_MATMUL_DESC_SCALE_TYPE: return attribute(desc.scale);
        case MUBLASLT_MATMUL_DESC_POINTER_MODE: return attribute(desc.pointer_mode);
        case MUBLASLT_MATMUL_DESC_TRANSA: return attribute(desc.trans_a);
        case MUBLASLT_MATMUL_DESC_TRANSB: return attribute(desc.trans_b);
        case MUBLASLT_MATMUL_DESC_TRANSC: return attribute(desc.trans_c);
        case MUBLASLT_MATMUL_DESC_EPILOGUE: return attribute(desc.epilogue);
        case MUBLASLT_MATMUL_DESC_BIAS_POINTER: return attribute(desc.bias);
        case MUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: return attribute(desc.bias_stride);
        case MUBLASLT_MATMUL_DESC_FILL_MODE: break;
    }
    return {};
}

Attribute find(Layout& layout, mublasLtMatrixLayoutAttribute_t number) {
    switch (number) {
        case MUBLASLT_MATRIX_LAYOUT_TYPE: return attribute(layout.type);
        case MUBLASLT_MATRIX_LAYOUT_ORDER: return attribute(layout.order);
        case MUBLASLT_MATRIX_LAYOUT_ROWS: return attribute(layout.rows);
        case MUBLASLT_MATRIX_LAYOUT_COLS: return attribute(layout.columns);
        case MUBLASLT_MATRIX_LAYOUT_LD: return attribute(layout.ld);
        case MUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return attribute(layout.batches);
        case MUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return attribute(layout.stride);
    }
    return {};
}

Attribute find(Preference& preference, mublasLtMatmulPreferenceAttributes_t number) {
    switch (number) {
        case MUBLASLT_MATMUL_PREF_SEARCH_MODE: return attribute(preference.search_mode);
        case MUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES: return attribute(preference.workspace);
        case MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES: return attribute(preference.alignments[0]);
        case MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES: return attribute(preference.alignments[1]);
        case MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES: return attribute(preference.alignments[2]);
        case MUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: return attribute(preference.alignments[3]);
    }
    return {};
}

template <class Object, class Number>
mublasStatus set(Object* object, Number number, const void* value, std::size_t size) {
    if (!object || !value) return MUBLAS_STATUS_INVALID_VALUE;
    const Attribute found = find(*object, number);
    if (!found.at) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    if (size != found.size) return MUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(found.at, value, size);
    return MUBLAS_STATUS_SUCCESS;
}

// Without room for the value, return its size alone.
template <class Object, class Number>
mublasStatus get(Object* object, Number number, void* value, std::size_t size, std::size_t* written) {
    if (!object) return MUBLAS_STATUS_INVALID_VALUE;
    const Attribute found = find(*object, number);
    if (!found.at) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    if (size == 0 && !written) return MUBLAS_STATUS_INVALID_VALUE;
    if (written) *written = found.size;
    if (size == 0) return MUBLAS_STATUS_SUCCESS;
    if (!value || size < found.size) return MUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(value, found.at, found.size);
    return MUBLAS_STATUS_SUCCESS;
}

template <class Object>
mublasStatus destroy(Object* object) {
    if (!object) return MUBLAS_STATUS_INVALID_VALUE;
    delete object;
    return MUBLAS_STATUS_SUCCESS;
}

// Return the position of an element.
std::size_t element_index(const Layout& layout, std::size_t row, std::size_t column) {
    const auto ld = static_cast<std::size_t>(layout.ld);
    return layout.order == MUBLASLT_ORDER_COL ? row + column * ld : row * ld + column;
}

bool is_layout(const Layout& layout) {
    if (layout.order != MUBLASLT_ORDER_COL && layout.order != MUBLASLT_ORDER_ROW) return false;
    const std::uint64_t line = layout.order == MUBLASLT_ORDER_COL ? layout.rows : layout.columns;
    const std::uint64_t most = 0x7fffffff;
    return layout.rows > 0 && layout.columns > 0 && layout.rows <= most && layout.columns <= most &&
           layout.ld >= static_cast<std::int64_t>(line) && layout.batches >= 1;
}

bool has_epilogue(std::uint32_t epilogue) {
    switch (epilogue) {
        case MUBLASLT_EPILOGUE_DEFAULT:
        case MUBLASLT_EPILOGUE_RELU:
        case MUBLASLT_EPILOGUE_BIAS:
        case MUBLASLT_EPILOGUE_RELU_BIAS:
        case MUBLASLT_EPILOGUE_GELU:
        case MUBLASLT_EPILOGUE_GELU_BIAS: return true;
        default: return false;
    }
}

bool is_complex(std::uint32_t type) { return type == MUSA_C_32F || type == MUSA_C_64F; }

struct Product {
    Desc desc;
    Layout a, b, c, d;
    const void *a_at, *b_at, *c_at;
    void* d_at;

    std::uint64_t rows() const { return d.rows; }
    std::uint64_t columns() const { return d.columns; }
    std::uint64_t depth() const { return desc.trans_a == MUBLAS_OP_N ? a.columns : a.rows; }
};

// Check that the descriptions fit together, apart from types.
mublasStatus check(const Product& p) {
    if (!is_layout(p.a) || !is_layout(p.b) || !is_layout(p.c) || !is_layout(p.d)) return MUBLAS_STATUS_INVALID_VALUE;
    for (const std::int32_t trans : {p.desc.trans_a, p.desc.trans_b}) {
        if (!mublas::is_operation(static_cast<mublasOperation_t>(trans))) return MUBLAS_STATUS_INVALID_VALUE;
    }
    const bool plain_a = p.desc.trans_a == MUBLAS_OP_N, plain_b = p.desc.trans_b == MUBLAS_OP_N;
    const bool fit = (plain_a ? p.a.rows : p.a.columns) == p.rows() &&
                     (plain_b ? p.b.rows : p.b.columns) == p.depth() &&
                     (plain_b ? p.b.columns : p.b.rows) == p.columns() && p.c.rows == p.rows() &&
                     p.c.columns == p.columns();
    const std::int32_t batches = p.d.batches;
    if (!fit || p.a.batches != batches || p.b.batches != batches || p.c.batches != batches)
        return MUBLAS_STATUS_INVALID_VALUE;
    const bool known = has_epilogue(p.desc.epilogue) && p.desc.trans_c == MUBLAS_OP_N &&
                       p.desc.pointer_mode >= MUBLASLT_POINTER_MODE_HOST &&
                       p.desc.pointer_mode <= MUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST;
    if (!known || p.a.type != p.b.type || p.c.type != p.d.type) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    const bool shaped = p.desc.epilogue != MUBLASLT_EPILOGUE_DEFAULT;
    return shaped && (is_complex(p.d.type) || p.d.type == MUSA_R_32I) ? MUBLAS_STATUS_NOT_IMPLEMENTED
                                                                      : MUBLAS_STATUS_SUCCESS;
}

// Copy op(X) column by column, converted to the type of the sums.
template <class Sum, class T>
std::vector<Sum> packed(const T* x, const Layout& layout, std::int32_t operation) {
    const bool plain = operation == MUBLAS_OP_N;
    const std::size_t rows = plain ? layout.rows : layout.columns, columns = plain ? layout.columns : layout.rows;
    std::vector<Sum> result(rows * columns);
    for (std::size_t column = 0; column < columns; ++column) {
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t at = plain ? element_index(layout, row, column) : element_index(layout, column, row);
            const Sum value = mublas::Element<T>::number(x[at]);
            result[row + column * rows] = operation == MUBLAS_OP_C ? mublas::conjugate(value) : value;
        }
    }
    return result;
}

// The approximation by tanh, as in cuBLASLt.
template <class T>
T gelu(T x) {
    return T(0.5) * x * (T(1) + std::tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x)));
}

bool has_bias(std::uint32_t epilogue) { return (epilogue & MUBLASLT_EPILOGUE_BIAS) != 0; }

template <class Sum>
Sum shaped(Sum value, std::uint32_t epilogue) {
    if constexpr (std::is_floating_point_v<Sum>) {
        if ((epilogue & MUBLASLT_EPILOGUE_RELU) != 0) return value < Sum() ? Sum() : value;
        if ((epilogue & MUBLASLT_EPILOGUE_GELU) != 0) return gelu(value);
    }
    return value;
}

// alpha or beta: a number in host memory, read when the operation is enqueued, or one or several in device memory, read
// when it runs.
template <class Scale>
class Factor {
public:
    enum class Source { host, device, vector, zero };
    using Sum = mublas::Number<Scale>;

    Factor(Source source, const void* at) : source_(source), at_(static_cast<const Scale*>(at)) {
        if (source == Source::host) now_ = mublas::Element<Scale>::number(*at_);
    }
    Sum of_row(std::size_t row) const {
        switch (source_) {
            case Source::device: return mublas::Element<Scale>::number(*at_);
            case Source::vector: return mublas::Element<Scale>::number(at_[row]);
            default: return now_;
        }
    }

private:
    Source source_;
    const Scale* at_;
    Sum now_{};
};

template <class In, class Out, class Scale, class Sum = mublas::Number<Scale>>
void multiply(const Product& p, std::int32_t batch, const Factor<Scale>& alpha, const Factor<Scale>& beta) {
    const auto offset = [&](const Layout& layout) { return static_cast<std::ptrdiff_t>(layout.stride) * batch; };
    const std::vector<Sum> a = packed<Sum>(static_cast<const In*>(p.a_at) + offset(p.a), p.a, p.desc.trans_a);
    const std::vector<Sum> b = packed<Sum>(static_cast<const In*>(p.b_at) + offset(p.b), p.b, p.desc.trans_b);
    const auto m = static_cast<int>(p.rows()), n = static_cast<int>(p.columns()), k = static_cast<int>(p.depth());
    std::vector<Sum> sums(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
    mublas::gemm<Sum, Sum, Sum>({MUBLAS_OP_N, MUBLAS_OP_N, m, n, k, m, k, m}, Sum(1), a.data(), b.data(),
                                Sum(), sums.data());
    const Out* const c = static_cast<const Out*>(p.c_at) + offset(p.c);
    Out* const d = static_cast<Out*>(p.d_at) + offset(p.d);
    const Out* const bias =
        has_bias(p.desc.epilogue) ? static_cast<const Out*>(p.desc.bias) + p.desc.bias_stride * batch : nullptr;
    for (std::size_t column = 0; column < p.columns(); ++column) {
        for (std::size_t row = 0; row < p.rows(); ++row) {
            Sum value = alpha.of_row(row) * sums[row + column * p.rows()];
            if (const Sum kept = beta.of_row(row); !(kept == Sum()))
                value = value + kept * static_cast<Sum>(mublas::Element<Out>::number(c[element_index(p.c, row, column)]));
            if (bias) value = value + static_cast<Sum>(mublas::Element<Out>::number(bias[row]));
            d[element_index(p.d, row, column)] = mublas::Element<Out>::stored(shaped(value, p.desc.epilogue));
        }
    }
}

template <class In, class Out, class Scale>
mublasStatus run(const Product& p, const void* alpha, const void* beta, musaStream_t stream) {
    using Source = typename Factor<Scale>::Source;
    Source of_alpha = Source::host, of_beta = Source::host;
    switch (p.desc.pointer_mode) {
        case MUBLASLT_POINTER_MODE_DEVICE: of_alpha = of_beta = Source::device; break;
        case MUBLASLT_POINTER_MODE_DEVICE_VECTOR: of_alpha = of_beta = Source::vector; break;
        case MUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO:
            of_alpha = Source::vector;
            of_beta = Source::zero;
            break;
        case MUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST: of_alpha = Source::vector; break;
        default: break;
    }
    const Factor<Scale> factor(of_alpha, alpha), kept(of_beta, beta);
    const musaError_t error = musa_sim::enqueue_work(stream, [=] {
        for (std::int32_t batch = 0; batch < p.d.batches; ++batch) multiply<In, Out, Scale>(p, batch, factor, kept);
    });
    return error == musaSuccess ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INTERNAL_ERROR;
}

using Run = mublasStatus (*)(const Product&, const void*, const void*, musaStream_t);

bool sums_floats(std::int32_t compute) {
    return compute == MUBLAS_COMPUTE_32F || compute == MUBLAS_COMPUTE_32F_PEDANTIC || compute == MUBLAS_COMPUTE_32F_FAST_16F ||
           compute == MUBLAS_COMPUTE_32F_FAST_16BF || compute == MUBLAS_COMPUTE_32F_FAST_TF32;
}

bool sums_doubles(std::int32_t compute) {
    return compute == MUBLAS_COMPUTE_64F || compute == MUBLAS_COMPUTE_64F_PEDANTIC;
}
bool sums_halves(std::int32_t compute) {
    return compute == MUBLAS_COMPUTE_16F || compute == MUBLAS_COMPUTE_16F_PEDANTIC;
}
bool sums_integers(std::int32_t compute) {
    return compute == MUBLAS_COMPUTE_32I || compute == MUBLAS_COMPUTE_32I_PEDANTIC;
}

template <class T>
Run for_16_bits(const Product& p, std::uint32_t type) {
    if (!sums_floats(p.desc.compute) || p.desc.scale != MUSA_R_32F) return nullptr;
    if (p.d.type == type) return run<T, T, float>;
    return p.d.type == MUSA_R_32F ? run<T, float, float> : nullptr;
}

// Return nullptr for a combination of types that is not supported.
Run find_run(const Product& p) {
    const bool same = p.a.type == p.d.type, as_scale = static_cast<std::int32_t>(p.d.type) == p.desc.scale;
    switch (p.a.type) {
        case MUSA_R_32F: return same && as_scale && sums_floats(p.desc.compute) ? run<float, float, float> : nullptr;
        case MUSA_C_32F:
            return same && as_scale && sums_floats(p.desc.compute) ? run<muComplex, muComplex, muComplex> : nullptr;
        case MUSA_R_64F:
            return same && as_scale && sums_doubles(p.desc.compute) ? run<double, double, double> : nullptr;
        case MUSA_C_64F:
            return same && as_scale && sums_doubles(p.desc.compute)
                       ? run<muDoubleComplex, muDoubleComplex, muDoubleComplex>
                       : nullptr;
        case MUSA_R_16F:
            if (same && as_scale && sums_halves(p.desc.compute)) return run<__half, __half, __half>;
            return for_16_bits<__half>(p, MUSA_R_16F);
        case MUSA_R_16BF: return for_16_bits<__mt_bfloat16>(p, MUSA_R_16BF);
        case MUSA_R_8I:
            return p.d.type == MUSA_R_32I && as_scale && sums_integers(p.desc.compute)
                       ? run<std::int8_t, std::int32_t, std::int32_t>
                       : nullptr;
        default: return nullptr;
    }
}

}  // namespace

MUSA_EXPORT mublasStatus_t mublasLtCreate(mublasLtHandle_t* handle) {
    if (!handle) return MUBLAS_STATUS_INVALID_POINTER;
    int count = 0;
    if (musaGetDeviceCount(&count) != musaSuccess) return MUBLAS_STATUS_INTERNAL_ERROR;
    *handle = new mublasLtContext();
    return MUBLAS_STATUS_SUCCESS;
}

MUSA_EXPORT mublasStatus_t mublasLtDestroy(mublasLtHandle_t handle) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    delete handle;
    return MUBLAS_STATUS_SUCCESS;
}

MUSA_EXPORT size_t mublasLtGetVersion(void) { return MUBLAS_VERSION; }

MUSA_EXPORT mublasStatus_t mublasLtMatmulDescCreate(mublasLtMatmulDesc_t* desc, mublasComputeType_t computeType,
                                                    musaDataType_t scaleType) {
    return create(desc, description(computeType, scaleType));
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulDescInit(mublasLtMatmulDesc_t desc, mublasComputeType_t computeType,
                                                  musaDataType_t scaleType) {
    return init(desc, description(computeType, scaleType));
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulDescDestroy(mublasLtMatmulDesc_t desc) { return destroy(desc); }

MUSA_EXPORT mublasStatus_t mublasLtMatmulDescSetAttribute(mublasLtMatmulDesc_t desc,
                                                          mublasLtMatmulDescAttributes_t attr, const void* buf,
                                                          size_t sizeInBytes) {
    return set(inside(desc), attr, buf, sizeInBytes);
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulDescGetAttribute(mublasLtMatmulDesc_t desc,
                                                          mublasLtMatmulDescAttributes_t attr, void* buf,
                                                          size_t sizeInBytes, size_t* sizeWritten) {
    return get(inside(desc), attr, buf, sizeInBytes, sizeWritten);
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixLayoutCreate(mublasLtMatrixLayout_t* layout, musaDataType_t type,
                                                      uint64_t rows, uint64_t cols, int64_t ld) {
    return create(layout, layout_of(type, rows, cols, ld));
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixLayoutInit(mublasLtMatrixLayout_t layout, musaDataType_t type,
                                                    uint64_t rows, uint64_t cols, int64_t ld) {
    return init(layout, layout_of(type, rows, cols, ld));
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixLayoutDestroy(mublasLtMatrixLayout_t layout) { return destroy(layout); }

MUSA_EXPORT mublasStatus_t mublasLtMatrixLayoutSetAttribute(mublasLtMatrixLayout_t layout,
                                                            mublasLtMatrixLayoutAttribute_t attr,
                                                            const void* buf, size_t sizeInBytes) {
    return set(inside(layout), attr, buf, sizeInBytes);
}

MUSA_EXPORT mublasStatus_t mublasLtMatrixLayoutGetAttribute(mublasLtMatrixLayout_t layout,
                                                            mublasLtMatrixLayoutAttribute_t attr, void* buf,
                                                            size_t sizeInBytes, size_t* sizeWritten) {
    return get(inside(layout), attr, buf, sizeInBytes, sizeWritten);
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulPreferenceCreate(mublasLtMatmulPreference_t* preference) {
    return create(preference, Preference());
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulPreferenceInit(mublasLtMatmulPreference_t preference) {
    return init(preference, Preference());
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulPreferenceDestroy(mublasLtMatmulPreference_t preference) {
    return destroy(preference);
}

// The only algorithm satisfies all preferences.
MUSA_EXPORT mublasStatus_t mublasLtMatmulPreferenceSetAttribute(mublasLtMatmulPreference_t preference,
                                                                mublasLtMatmulPreferenceAttributes_t attr,
                                                                const void* buf, size_t sizeInBytes) {
    return set(inside(preference), attr, buf, sizeInBytes);
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulPreferenceGetAttribute(mublasLtMatmulPreference_t preference,
                                                                mublasLtMatmulPreferenceAttributes_t attr,
                                                                void* buf, size_t sizeInBytes,
                                                                size_t* sizeWritten) {
    return get(inside(preference), attr, buf, sizeInBytes, sizeWritten);
}

MUSA_EXPORT mublasStatus_t mublasLtMatmulAlgoGetHeuristic(
    mublasLtHandle_t handle, mublasLtMatmulDesc_t desc, mublasLtMatrixLayout_t Adesc, mublasLtMatrixLayout_t Bdesc,
    mublasLtMatrixLayout_t Cdesc, mublasLtMatrixLayout_t Ddesc, mublasLtMatmulPreference_t preference,
    int requestedAlgoCount, mublasLtMatmulHeuristicResult_t heuristicResultsArray[], int* returnAlgoCount) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    if (!desc || !Adesc || !Bdesc || !Cdesc || !Ddesc || !preference || requestedAlgoCount < 1 ||
        !heuristicResultsArray || !returnAlgoCount)
        return MUBLAS_STATUS_INVALID_VALUE;
    *returnAlgoCount = 0;
    const Product product{*inside(desc), *inside(Adesc), *inside(Bdesc), *inside(Cdesc), *inside(Ddesc), nullptr, nullptr, nullptr, nullptr};
    const mublasStatus status = check(product);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (!find_run(product)) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    heuristicResultsArray[0] = {};
    heuristicResultsArray[0].state = MUBLAS_STATUS_SUCCESS;
    heuristicResultsArray[0].wavesCount = 1.0f;
    *returnAlgoCount = 1;
    return MUBLAS_STATUS_SUCCESS;
}

MUSA_EXPORT mublasStatus_t mublasLtMatmul(mublasLtHandle_t handle, mublasLtMatmulDesc_t desc, const void* alpha,
                                          const void* A, mublasLtMatrixLayout_t Adesc, const void* B,
                                          mublasLtMatrixLayout_t Bdesc, const void* beta, const void* C,
                                          mublasLtMatrixLayout_t Cdesc, void* D, mublasLtMatrixLayout_t Ddesc,
                                          const mublasLtMatmulAlgo_t*, void*, size_t, musaStream_t stream) {
    if (!handle) return MUBLAS_STATUS_INVALID_HANDLE;
    if (!desc || !Adesc || !Bdesc || !Cdesc || !Ddesc || !alpha || !A || !B || !C || !D)
        return MUBLAS_STATUS_INVALID_VALUE;
    const bool beta_is_zero =
        inside(desc)->pointer_mode == MUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO;
    if (!beta && !beta_is_zero) return MUBLAS_STATUS_INVALID_VALUE;
    const Product product{*inside(desc), *inside(Adesc), *inside(Bdesc), *inside(Cdesc), *inside(Ddesc), A, B, C, D};
    const mublasStatus status = check(product);
    if (status != MUBLAS_STATUS_SUCCESS) return status;
    if (has_bias(product.desc.epilogue) && !product.desc.bias) return MUBLAS_STATUS_INVALID_VALUE;
    const Run run_product = find_run(product);
    return run_product ? run_product(product, alpha, beta, stream) : MUBLAS_STATUS_NOT_IMPLEMENTED;
}
