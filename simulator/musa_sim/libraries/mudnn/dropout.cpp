// Dropout. Its random numbers are not a card's.
#include "../enqueue.h"
#include "elements.h"
#include "functions.h"

namespace musa::dnn {
namespace {

using namespace mudnn;

bool is_dropout_mask(Type type) { return type == Type::BOOL || type == Type::UINT8; }

Status check_dropout(const Tensor& out, const Tensor& in, const Tensor& mask) {
    if (!are_floating({&out, &in}) || !is_dropout_mask(mask.GetType())) return Status::NOT_SUPPORTED;
    return out.sizes() == in.sizes() && mask.sizes() == in.sizes() ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

}  // namespace

Status Dropout::SetP(double p) {
    if (!(p >= 0 && p <= 1)) return Status::INVALID_PARAMETER;
    p_ = p;
    return Status::SUCCESS;
}

Status Dropout::SetScale(double scale) {
    scale_ = scale;
    is_scale_set_ = true;
    return Status::SUCCESS;
}

Status Dropout::SetSeed(uint64_t seed) {
    seed_ = seed;
    seed_at_ = nullptr;
    return Status::SUCCESS;
}

Status Dropout::SetSeed(const uint64_t* seed) {
    seed_at_ = seed;
    return seed ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

Status Dropout::SetOffset(uint64_t offset) {
    offset_ = offset;
    offset_at_ = nullptr;
    return Status::SUCCESS;
}

Status Dropout::SetOffset(const uint64_t* offset, uint64_t more) {
    offset_at_ = offset;
    offset_ = more;
    return offset ? Status::SUCCESS : Status::INVALID_PARAMETER;
}

Status Dropout::RunDropout(Handle& handle, Tensor& out, const Tensor& in, Tensor& mask) const {
    const Status checked = check_dropout(out, in, mask);
    if (checked != Status::SUCCESS) return checked;
    const double scale = is_scale_set_ ? scale_ : p_ < 1 ? 1 / (1 - p_) : 0;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [out = Tensor(out), in, mask = Tensor(mask), scale, p = p_, seed = seed_, offset = offset_,
                             seed_at = seed_at_, offset_at = offset_at_] {
            const uint64_t first = seed_at ? *seed_at : seed, second = offset_at ? *offset_at + offset : offset;
            const std::vector<int64_t> strides[3] = {out.strides(), in.strides(), mask.strides()};
            int64_t element = 0;
            each(in.sizes(), strides, [&](const int64_t(&at)[3]) {
                const bool kept = uniform(first, second, element++) >= p;
                write(mask.GetType(), mask.GetAddr(), at[2], kept);
                write(out.GetType(), out.GetAddr(), at[0], kept ? read(in.GetType(), in.GetAddr(), at[1]) * scale : 0);
            });
        }));
}

Status Dropout::RunDropoutBwd(Handle& handle, Tensor& grad_in, const Tensor& grad_out, const Tensor& mask) const {
    const Status checked = check_dropout(grad_in, grad_out, mask);
    if (checked != Status::SUCCESS) return checked;
    const double scale = is_scale_set_ ? scale_ : p_ < 1 ? 1 / (1 - p_) : 0;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [grad_in = Tensor(grad_in), grad_out, mask, scale] {
        const std::vector<int64_t> strides[3] = {grad_in.strides(), grad_out.strides(), mask.strides()};
        each(grad_out.sizes(), strides, [&](const int64_t(&at)[3]) {
            const bool kept = read(mask.GetType(), mask.GetAddr(), at[2]) != 0;
            const double gradient = kept ? read(grad_out.GetType(), grad_out.GetAddr(), at[1]) * scale : 0;
            write(grad_in.GetType(), grad_in.GetAddr(), at[0], gradient);
        });
    }));
}

}  // namespace musa::dnn
