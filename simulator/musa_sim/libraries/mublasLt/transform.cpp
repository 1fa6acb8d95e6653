// Sums of two matrices: see transform.h.
#include "transform.h"

#include "../enqueue.h"
#include "../mublas/enumerators.h"
#include "elements.h"

namespace mublas_lt {
namespace {

template <class Scale, class Sum = mublas::Number<Scale>>
void add(const Transformation& all, std::int32_t batch, Sum alpha, Sum beta) {
    const std::vector<Sum> a = packed<Sum>(all.a_at, all.a, all.desc.trans_a, batch);
    std::vector<Sum> b;
    if (all.b_at) b = packed<Sum>(all.b_at, all.b, all.desc.trans_b, batch);
    void* const c = static_cast<char*>(all.c_at) + all.c.stride * batch * static_cast<std::ptrdiff_t>(size_of(all.c.type));
    for (std::size_t column = 0; column < all.c.columns; ++column) {
        for (std::size_t row = 0; row < all.c.rows; ++row) {
            const std::size_t at = row + column * all.c.rows;
            Sum value = alpha * a[at];
            if (all.b_at && !(beta == Sum())) value = value + beta * b[at];
            store<Sum>(all.c.type, c, element_index(all.c, row, column), value);
        }
    }
}

template <class Scale>
mublasStatus run_transform(const Transformation& all, const void* alpha, const void* beta, musaStream_t stream) {
    using Source = typename Factor<Scale>::Source;
    const Source source = all.desc.pointer_mode == MUBLASLT_POINTER_MODE_HOST ? Source::host : Source::device;
    const Factor<Scale> of_a(source, alpha), of_b(all.b_at ? source : Source::zero, beta);
    const musaError_t error = musa_sim::enqueue_work(stream, [=] {
        for (std::int32_t batch = 0; batch < all.c.batches; ++batch)
            add<Scale>(all, batch, of_a.of_row(0), of_b.of_row(0));
    });
    return error == musaSuccess ? MUBLAS_STATUS_SUCCESS : MUBLAS_STATUS_INTERNAL_ERROR;
}

bool fits(const Layout& from, std::int32_t operation, const Layout& to) {
    const bool plain = operation == MUBLAS_OP_N;
    return from.batches == to.batches && (plain ? from.rows : from.columns) == to.rows &&
           (plain ? from.columns : from.rows) == to.columns;
}

bool belongs_to(std::uint32_t type, std::int32_t scale) {
    if (is_complex(type)) return static_cast<std::int32_t>(type) == scale;
    return size_of(type) != 0 && (scale == MUSA_R_32F || scale == MUSA_R_64F);
}

}  // namespace

mublasStatus transform(const Transformation& all, const void* alpha, const void* beta, musaStream_t stream) {
    for (const Layout* layout : {&all.a, &all.c, all.b_at ? &all.b : &all.c}) {
        const mublasStatus status = check(*layout);
        if (status != MUBLAS_STATUS_SUCCESS) return status;
        if (!belongs_to(layout->type, all.desc.scale)) return MUBLAS_STATUS_NOT_IMPLEMENTED;
    }
    for (const std::int32_t operation : {all.desc.trans_a, all.desc.trans_b}) {
        if (!mublas::is_operation(static_cast<mublasOperation_t>(operation))) return MUBLAS_STATUS_INVALID_VALUE;
    }
    if (!fits(all.a, all.desc.trans_a, all.c) || (all.b_at && !fits(all.b, all.desc.trans_b, all.c)))
        return MUBLAS_STATUS_INVALID_VALUE;
    if (all.desc.pointer_mode != MUBLASLT_POINTER_MODE_HOST && all.desc.pointer_mode != MUBLASLT_POINTER_MODE_DEVICE)
        return MUBLAS_STATUS_NOT_IMPLEMENTED;
    switch (all.desc.scale) {
        case MUSA_R_32F: return run_transform<float>(all, alpha, beta, stream);
        case MUSA_R_64F: return run_transform<double>(all, alpha, beta, stream);
        case MUSA_C_32F: return run_transform<muComplex>(all, alpha, beta, stream);
        case MUSA_C_64F: return run_transform<muDoubleComplex>(all, alpha, beta, stream);
        default: return MUBLAS_STATUS_NOT_IMPLEMENTED;
    }
}

}  // namespace mublas_lt
