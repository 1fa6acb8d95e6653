// Products with epilogues. Every element is computed in the type of the sums, and rounded once.
#include "product.h"

#include "../enqueue.h"
#include "../mublas/gemm.h"
#include "elements.h"

namespace mublas_lt {
namespace {

// The bits of an epilogue.
constexpr std::uint32_t relu = 2, bias = 4, drelu = 8, bias_gradient = 16, gelu = 32, dgelu = 64, aux = 128,
                        gradient_a = 256, gradient_b = 512;

bool has(const Desc& desc, std::uint32_t bit) { return (desc.epilogue & bit) != 0; }
bool writes_bias(const Desc& desc) { return has(desc, bias_gradient | gradient_a | gradient_b); }
// The auxiliary matrix is a result, of numbers.
bool keeps_numbers(const Desc& desc) { return has(desc, gelu) && has(desc, aux); }
// The auxiliary matrix has a bit for each element, not a number.
bool has_mask(const Desc& desc) { return has(desc, relu | drelu); }

bool is_known(std::uint32_t epilogue) {
    switch (epilogue) {
        case MUBLASLT_EPILOGUE_DEFAULT:
        case MUBLASLT_EPILOGUE_RELU:
        case MUBLASLT_EPILOGUE_RELU_AUX:
        case MUBLASLT_EPILOGUE_BIAS:
        case MUBLASLT_EPILOGUE_RELU_BIAS:
        case MUBLASLT_EPILOGUE_RELU_AUX_BIAS:
        case MUBLASLT_EPILOGUE_DRELU:
        case MUBLASLT_EPILOGUE_DRELU_BGRAD:
        case MUBLASLT_EPILOGUE_GELU:
        case MUBLASLT_EPILOGUE_GELU_AUX:
        case MUBLASLT_EPILOGUE_GELU_BIAS:
        case MUBLASLT_EPILOGUE_GELU_AUX_BIAS:
        case MUBLASLT_EPILOGUE_DGELU:
        case MUBLASLT_EPILOGUE_DGELU_BGRAD:
        case MUBLASLT_EPILOGUE_BGRADA:
        case MUBLASLT_EPILOGUE_BGRADB: return true;
        default: return false;
    }
}

// The approximation by tanh, as in cuBLASLt.
template <class T>
T inner(T x) {
    return std::tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x));
}
template <class T>
T gelu_of(T x) {
    return T(0.5) * x * (T(1) + inner(x));
}
template <class T>
T gelu_slope(T x) {
    const T t = inner(x);
    return T(0.5) * (T(1) + t) +
           T(0.5) * x * (T(1) - t * t) * T(0.7978845608028654) * (T(1) + T(3 * 0.044715) * x * x);
}

// The type of a bias or an auxiliary matrix. Beside a D of 8 bits it is C's; beside a product of 8-bit floats that is kept
// in float it is bfloat16.
std::uint32_t type_beside_d(const Product& p, std::int32_t asked) {
    if (asked != default_type) return static_cast<std::uint32_t>(asked);
    if (is_8_bit_float(p.d.type)) return p.c.type;
    return is_8_bit_float(p.a.type) && p.d.type == MUSA_R_32F ? static_cast<std::uint32_t>(MUSA_R_16BF) : p.d.type;
}
std::uint32_t bias_type(const Product& p) { return type_beside_d(p, p.desc.bias_type); }
std::uint32_t aux_type(const Product& p) { return type_beside_d(p, p.desc.aux_type); }

bool is_float(std::uint32_t type) {
    return type == MUSA_R_32F || type == MUSA_R_64F || type == MUSA_R_16F || type == MUSA_R_16BF || is_8_bit_float(type);
}

mublasStatus check_epilogue(const Product& p) {
    const Desc& desc = p.desc;
    if (desc.epilogue == MUBLASLT_EPILOGUE_DEFAULT) return MUBLAS_STATUS_SUCCESS;
    if (!is_float(p.d.type) || !is_float(bias_type(p)) || !is_float(aux_type(p))) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    if (!has(desc, aux)) return MUBLAS_STATUS_SUCCESS;
    if (p.d.order != MUBLASLT_ORDER_COL) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    const std::int64_t multiple = has_mask(desc) ? 128 : 8;
    const bool fits = desc.aux_ld >= static_cast<std::int64_t>(p.rows()) && desc.aux_ld % multiple == 0;
    return fits ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INVALID_VALUE;
}

// Beside 8-bit floats C may have a factor too, as in NVIDIA's sample LtFp8Matmul; it has no effect, as C has more bits.
bool asks_for_scales_without_8_bits(const Product& p) {
    const Desc& desc = p.desc;
    return (desc.a_scale && !is_8_bit_float(p.a.type)) || (desc.b_scale && !is_8_bit_float(p.b.type)) ||
           (desc.c_scale && !is_8_bit_float(p.a.type)) || ((desc.d_scale || desc.d_amax) && !is_8_bit_float(p.d.type)) ||
           ((desc.aux_scale || desc.aux_amax) && !is_8_bit_float(aux_type(p)));
}

// The largest magnitudes in all batches of D and of the auxiliary matrix, before they are scaled.
struct Largest {
    float in_d = 0, in_aux = 0;
};

// The auxiliary matrix of a batch: a number or a bit for each element of D.
template <class Sum>
class Auxiliary {
public:
    Auxiliary(const Product& p, std::int32_t batch, float* largest)
        : type_(aux_type(p)), ld_(static_cast<std::size_t>(p.desc.aux_ld)), scale_(factor(p.desc.aux_scale)),
          largest_(largest) {
        const std::int64_t skipped = p.desc.aux_stride * batch;
        const std::int64_t bytes = has_mask(p.desc) ? skipped / 8 : skipped * static_cast<std::int64_t>(size_of(type_));
        at_ = static_cast<char*>(p.desc.aux) + bytes;
    }
    void keep_number(std::size_t row, std::size_t column, Sum value) {
        *largest_ = std::max(*largest_, static_cast<float>(std::fabs(value)));
        store<Sum>(type_, at_, row + column * ld_, value * scale_);
    }
    Sum number(std::size_t row, std::size_t column) const { return load<Sum>(type_, at_, row + column * ld_); }
    void keep_bit(std::size_t row, std::size_t column, bool bit) {
        char& byte = at_[(row + column * ld_) / 8];
        const auto mask = static_cast<char>(1u << (row % 8));
        byte = static_cast<char>(bit ? byte | mask : byte & ~mask);
    }
    bool bit(std::size_t row, std::size_t column) const {
        return (at_[(row + column * ld_) / 8] >> (row % 8) & 1) != 0;
    }

private:
    static Sum factor(const void* at) { return at ? static_cast<Sum>(*static_cast<const float*>(at)) : Sum(1); }

    std::uint32_t type_;
    std::size_t ld_;
    Sum scale_;
    float* largest_;
    char* at_;
};

// Apply an activation or its gradient to the elements, which are still in the type of the sums.
template <class Sum>
void shape(const Product& p, std::int32_t batch, std::vector<Sum>* values, float* largest) {
    Auxiliary<Sum> kept(p, batch, largest);
    for (std::size_t column = 0; column < p.columns(); ++column) {
        for (std::size_t row = 0; row < p.rows(); ++row) {
            Sum& value = (*values)[row + column * p.rows()];
            if (has(p.desc, relu)) {
                if (has(p.desc, aux)) kept.keep_bit(row, column, value > Sum());
                value = value < Sum() ? Sum() : value;
            } else if (has(p.desc, gelu)) {
                if (has(p.desc, aux)) kept.keep_number(row, column, value);
                value = gelu_of(value);
            } else if (has(p.desc, drelu)) {
                if (!kept.bit(row, column)) value = Sum();
            } else if (has(p.desc, dgelu)) {
                value *= gelu_slope(kept.number(row, column));
            }
        }
    }
}

// Write the sums of `count` lines of a matrix, stored line by line with `step` between the elements of a line.
template <class Sum>
void write_bias(const Product& p, std::int32_t batch, const std::vector<Sum>& matrix, std::size_t count, std::size_t line,
                std::size_t length, std::size_t step) {
    for (std::size_t i = 0; i < count; ++i) {
        Sum sum{};
        for (std::size_t k = 0; k < length; ++k) sum += matrix[i * line + k * step];
        store<Sum>(bias_type(p), p.desc.bias, i + static_cast<std::size_t>(p.desc.bias_stride * batch), sum);
    }
}

float scale_of(const void* at) { return at ? *static_cast<const float*>(at) : 1.0f; }

// Write D, and the largest magnitude in it before it is scaled.
template <class Sum>
void write(const Product& p, std::int32_t batch, const std::vector<Sum>& values, float* largest) {
    void* const d = static_cast<char*>(p.d_at) + p.d.stride * batch * static_cast<std::ptrdiff_t>(size_of(p.d.type));
    for (std::size_t column = 0; column < p.columns(); ++column) {
        for (std::size_t row = 0; row < p.rows(); ++row) {
            Sum value = values[row + column * p.rows()];
            if constexpr (std::is_floating_point_v<Sum>) {
                *largest = std::max(*largest, static_cast<float>(std::fabs(value)));
                value *= static_cast<Sum>(scale_of(p.desc.d_scale));
            }
            store<Sum>(p.d.type, d, element_index(p.d, row, column), value);
        }
    }
}

template <class Scale, class Sum = mublas::Number<Scale>>
void multiply(const Product& p, std::int32_t batch, const Factor<Scale>& alpha, const Factor<Scale>& beta, Largest* largest) {
    const std::vector<Sum> a = packed<Sum>(p.a_at, p.a, p.desc.trans_a, batch);
    const std::vector<Sum> b = packed<Sum>(p.b_at, p.b, p.desc.trans_b, batch);
    const auto m = static_cast<int>(p.rows()), n = static_cast<int>(p.columns()), k = static_cast<int>(p.depth());
    std::vector<Sum> values(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
    mublas::gemm<Sum, Sum, Sum>({MUBLAS_OP_N, MUBLAS_OP_N, m, n, k, m, k, m}, Sum(1), a.data(), b.data(), Sum(),
                                values.data());
    const void* const c =
        static_cast<const char*>(p.c_at) + p.c.stride * batch * static_cast<std::ptrdiff_t>(size_of(p.c.type));
    Sum of_product = Sum(1);
    if constexpr (std::is_floating_point_v<Sum>)
        of_product = static_cast<Sum>(scale_of(p.desc.a_scale)) * static_cast<Sum>(scale_of(p.desc.b_scale));
    const std::size_t rows = p.rows(), first = static_cast<std::size_t>(p.desc.alpha_stride * batch);
    for (std::size_t column = 0; column < p.columns(); ++column) {
        for (std::size_t row = 0; row < rows; ++row) {
            Sum& value = values[row + column * rows];
            value = alpha.of_row(first + row) * of_product * value;
            if (const Sum kept = beta.of_row(first + row); !(kept == Sum()))
                value = value + kept * load<Sum>(p.c.type, c, element_index(p.c, row, column));
            if (has(p.desc, bias)) {
                const auto at = static_cast<std::size_t>(p.desc.bias_stride * batch) + row;
                value = value + load<Sum>(bias_type(p), p.desc.bias, at);
            }
        }
    }
    if constexpr (std::is_floating_point_v<Sum>) {
        if (has(p.desc, relu | gelu | drelu | dgelu)) shape(p, batch, &values, &largest->in_aux);
        if (has(p.desc, bias_gradient)) write_bias(p, batch, values, rows, 1, p.columns(), rows);
        if (has(p.desc, gradient_a)) write_bias(p, batch, a, rows, 1, p.depth(), rows);
        if (has(p.desc, gradient_b)) write_bias(p, batch, b, p.columns(), p.depth(), p.depth(), 1);
    }
    write(p, batch, values, &largest->in_d);
}

template <class Scale, class Sum = mublas::Number<Scale>>
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
        Largest largest;
        for (std::int32_t batch = 0; batch < p.d.batches; ++batch) multiply<Scale, Sum>(p, batch, factor, kept, &largest);
        if (p.desc.d_amax) *static_cast<float*>(p.desc.d_amax) = largest.in_d;
        if (p.desc.aux_amax && keeps_numbers(p.desc)) *static_cast<float*>(p.desc.aux_amax) = largest.in_aux;
    });
    return error == musaSuccess ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INTERNAL_ERROR;
}

bool sums_floats(std::int32_t compute) {
    return compute == MUBLAS_COMPUTE_32F || compute == MUBLAS_COMPUTE_32F_PEDANTIC ||
           compute == MUBLAS_COMPUTE_32F_FAST_16F || compute == MUBLAS_COMPUTE_32F_FAST_16BF ||
           compute == MUBLAS_COMPUTE_32F_FAST_TF32;
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

// Products of 8-bit floats: not both of E5M2; C has 16 bits or is float, and D has C's type or 8 bits.
Run for_8_bit_floats(const Product& p) {
    if (!is_8_bit_float(p.b.type) || (p.a.type == MUSA_R_8F_E5M2 && p.b.type == MUSA_R_8F_E5M2)) return nullptr;
    if (!sums_floats(p.desc.compute) || p.desc.scale != MUSA_R_32F) return nullptr;
    const bool wide = p.c.type == MUSA_R_16BF || p.c.type == MUSA_R_16F || p.c.type == MUSA_R_32F;
    const bool narrow = is_8_bit_float(p.d.type) && p.c.type != MUSA_R_32F;
    return wide && (p.d.type == p.c.type || narrow) ? run<float> : nullptr;
}

}  // namespace

mublasStatus check(const Product& p) {
    for (const Layout* layout : {&p.a, &p.b, &p.c, &p.d}) {
        const mublasStatus status = check(*layout);
        if (status != MUBLAS_STATUS_SUCCESS) return status;
    }
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
    const bool known = is_known(p.desc.epilogue) && p.desc.trans_c == MUBLAS_OP_N &&
                       p.desc.fill == MUBLAS_FILL_MODE_FULL && p.desc.pointer_mode >= MUBLASLT_POINTER_MODE_HOST &&
                       p.desc.pointer_mode <= MUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST;
    if (!known || !find_run(p) || asks_for_scales_without_8_bits(p)) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    return check_epilogue(p);
}

bool has_pointers(const Desc& desc) {
    return (desc.bias || !(has(desc, bias) || writes_bias(desc))) && (desc.aux || !has(desc, aux));
}

Run find_run(const Product& p) {
    if (is_8_bit_float(p.a.type)) return for_8_bit_floats(p);
    if (p.a.type != p.b.type || p.c.type != p.d.type) return nullptr;
    const bool same = p.a.type == p.d.type, as_scale = static_cast<std::int32_t>(p.d.type) == p.desc.scale;
    switch (p.a.type) {
        case MUSA_R_32F: return same && as_scale && sums_floats(p.desc.compute) ? run<float> : nullptr;
        case MUSA_C_32F: return same && as_scale && sums_floats(p.desc.compute) ? run<muComplex> : nullptr;
        case MUSA_R_64F: return same && as_scale && sums_doubles(p.desc.compute) ? run<double> : nullptr;
        case MUSA_C_64F: return same && as_scale && sums_doubles(p.desc.compute) ? run<muDoubleComplex> : nullptr;
        case MUSA_R_16F:
            if (same && as_scale && sums_halves(p.desc.compute)) return run<__half>;
            [[fallthrough]];
        case MUSA_R_16BF:
            return sums_floats(p.desc.compute) && p.desc.scale == MUSA_R_32F && (same || p.d.type == MUSA_R_32F) ? run<float>
                                                                                                              : nullptr;
        case MUSA_R_8I:
            // sums of 8-bit integers are exact in double
            if (same && p.desc.scale == MUSA_R_32F && sums_integers(p.desc.compute)) return run<float, double>;
            return p.d.type == MUSA_R_32I && as_scale && sums_integers(p.desc.compute) ? run<std::int32_t> : nullptr;
        default: return nullptr;
    }
}

}  // namespace mublas_lt
