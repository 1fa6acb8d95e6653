// The descriptions of a product, and how it is computed.
#pragma once

#include <mublasLt.h>

#include <cstdint>

#include "layout.h"

namespace mublas_lt {

inline constexpr std::int32_t default_type = -1;  // of a bias or an auxiliary matrix: that of D, or as `type_beside_d` says

struct Desc {
    std::int32_t compute = MUBLAS_COMPUTE_32F;
    std::int32_t scale = MUSA_R_32F;
    std::int32_t pointer_mode = MUBLASLT_POINTER_MODE_HOST;
    std::int32_t trans_a = MUBLAS_OP_N;
    std::int32_t trans_b = MUBLAS_OP_N;
    std::int32_t trans_c = MUBLAS_OP_N;
    std::int32_t fill = MUBLAS_FILL_MODE_FULL;
    std::uint32_t epilogue = MUBLASLT_EPILOGUE_DEFAULT;
    void* bias = nullptr;  // written by the epilogues that compute its gradient
    std::int64_t bias_stride = 0;
    void* aux = nullptr;
    std::int64_t aux_ld = 0;
    std::int64_t aux_stride = 0;
    std::int64_t alpha_stride = 0;
    // Factors of matrices of 8 bits, in device memory; absent: 1
    const void* a_scale = nullptr;
    const void* b_scale = nullptr;
    const void* c_scale = nullptr;
    const void* d_scale = nullptr;
    void* d_amax = nullptr;
    const void* aux_scale = nullptr;
    void* aux_amax = nullptr;
    std::int32_t bias_type = default_type;
    std::int32_t aux_type = default_type;
    // Hints
    std::int32_t processors = 0;
    std::int8_t fast_sums = 0;
};

struct Product {
    Desc desc;
    Layout a, b, c, d;
    const void* a_at = nullptr;
    const void* b_at = nullptr;
    const void* c_at = nullptr;
    void* d_at = nullptr;

    std::uint64_t rows() const { return d.rows; }
    std::uint64_t columns() const { return d.columns; }
    std::uint64_t depth() const { return desc.trans_a == MUBLAS_OP_N ? a.columns : a.rows; }
};

using Run = mublasStatus (*)(const Product&, const void* alpha, const void* beta, musaStream_t);

// Return nullptr for a combination of types that is not computed.
Run find_run(const Product& product);
// Check that the product's descriptions fit together, and that it is computed.
mublasStatus check(const Product& product);
// Return whether an algorithm is the one there is, in a configuration that is computed (algorithms.cpp).
bool is_computed(const mublasLtMatmulAlgo_t& algo);
// Return whether the memory that the epilogue needs is there.
bool has_pointers(const Desc& desc);

}  // namespace mublas_lt
