// Sums of two matrices, which convert types and orders of memory.
#pragma once

#include "layout.h"

namespace mublas_lt {

struct Transform {
    std::int32_t scale = MUSA_R_32F;
    std::int32_t pointer_mode = MUBLASLT_POINTER_MODE_HOST;
    std::int32_t trans_a = MUBLAS_OP_N;
    std::int32_t trans_b = MUBLAS_OP_N;
};

struct Transformation {
    Transform desc;
    Layout a, b, c;
    const void* a_at;
    const void* b_at;  // nullptr: no second matrix
    void* c_at;
};

// C = alpha op(A) + beta op(B)
mublasStatus transform(const Transformation& all, const void* alpha, const void* beta, musaStream_t stream);

}  // namespace mublas_lt
