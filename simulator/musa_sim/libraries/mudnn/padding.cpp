// Padding of tensors: constant, reflected and repeated elements.
#include "../enqueue.h"
#include "elements.h"

#include <type_traits>

namespace musa::dnn {
namespace {

using namespace mudnn;

constexpr int64_t outside = -1;

// Map a position, which may be before the first element or after the last, to an element of a dimension of `size`.
int64_t padded(Pad::Mode mode, int64_t position, int64_t size) {
    if (position >= 0 && position < size) return position;
    switch (mode) {
        case Pad::Mode::CONSTANT: return outside;
        case Pad::Mode::REFLECT: return position < 0 ? -position : 2 * (size - 1) - position;
        case Pad::Mode::REPLICATE: return position < 0 ? 0 : size - 1;
        case Pad::Mode::CIRCULAR: return position < 0 ? position + size : position - size;
    }
    return outside;
}

// Return whether a mode can pad a dimension of `size` that far.
bool can_pad(Pad::Mode mode, int64_t before, int64_t after, int64_t size) {
    const int64_t more = std::max(before, after);
    switch (mode) {
        case Pad::Mode::CONSTANT: return true;
        case Pad::Mode::REFLECT: return more < size;
        case Pad::Mode::REPLICATE: return size > 0;
        case Pad::Mode::CIRCULAR: return more <= size;
    }
    return false;
}

// For each dimension, map each position of `out` to an element of `in`; return false if the sizes do not fit.
bool padded_positions(Pad::Mode mode, const std::vector<int>& padding, const Tensor& out, const Tensor& in,
                      std::vector<std::vector<int64_t>>& positions) {
    const std::size_t rank = in.sizes().size();
    if (padding.size() % 2 != 0 || padding.size() / 2 > rank || out.sizes().size() != rank) return false;
    positions.resize(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t pair = 2 * (rank - 1 - i);  // the innermost dimension comes first
        const bool has_any = pair < padding.size();
        const int64_t before = has_any ? padding[pair] : 0, after = has_any ? padding[pair + 1] : 0, size = in.sizes()[i];
        if (out.sizes()[i] != size + before + after || (has_any && !can_pad(mode, before, after, size))) return false;
        for (int64_t at = 0; at < out.sizes()[i]; ++at) positions[i].push_back(padded(mode, at - before, size));
    }
    return true;
}

}  // namespace

Status Pad::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status Pad::SetValue(double value) {
    value_ = value;
    integer_ = static_cast<int64_t>(value);
    return Status::SUCCESS;
}

Status Pad::SetValue(int64_t value) {
    value_ = static_cast<double>(value);
    integer_ = value;
    return Status::SUCCESS;
}

Status Pad::SetPaddingInfo(int count, const int* padding) {
    if (count < 0 || (count > 0 && !padding)) return Status::INVALID_PARAMETER;
    padding_.assign(padding, padding + count);
    return Status::SUCCESS;
}

Status Pad::Run(Handle& handle, Tensor& result, const Tensor& source) const {
    if (!is_known(source.GetType()) || result.GetType() != source.GetType()) return Status::NOT_SUPPORTED;
    const bool pixels_only = padding_.size() / 2 + 2 <= source.sizes().size();
    const Tensor out = pixels_only ? channels_first(result) : result, in = pixels_only ? channels_first(source) : source;
    std::vector<std::vector<int64_t>> positions;
    if (!padded_positions(mode_, padding_, out, in, positions)) return Status::INVALID_PARAMETER;
    return status_of(
        musa_sim::enqueue_work(handle.GetStream(), [out, in, positions, value = value_, integer = integer_] {
            with_type(out.GetType(), [&](auto* type) {
                using T = std::remove_pointer_t<decltype(type)>;
                T* const target = static_cast<T*>(out.GetAddr());
                const T* const from = static_cast<const T*>(in.GetAddr());
                const std::vector<int64_t> dense = dense_strides(out.sizes()), strides[2] = {out.strides(), dense};
                each(out.sizes(), strides, [&](const int64_t(&at)[2]) {
                    int64_t offset = 0;
                    bool is_inside = true;
                    for (std::size_t i = 0; i < dense.size(); ++i) {
                        const int64_t element = positions[i][static_cast<std::size_t>(at[1] / dense[i] % out.sizes()[i])];
                        is_inside = is_inside && element != outside;
                        offset += element * in.strides()[i];
                    }
                    if (is_inside) target[at[0]] = from[offset];
                    else if constexpr (std::is_integral_v<T>) target[at[0]] = static_cast<T>(integer);
                    else store(target + at[0], value);
                });
            });
        }));
}

}  // namespace musa::dnn
