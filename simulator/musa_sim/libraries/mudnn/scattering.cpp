// Write elements and slices to the positions that indices give.
#include "../enqueue.h"
#include "elements.h"

#include <type_traits>

namespace musa::dnn {
namespace {

using namespace mudnn;
using Numbers = std::vector<int64_t>;

// Sums of integers wrap around.
template <class T>
void change(Scatter::Mode mode, T* at, T x) {
    if (mode == Scatter::Mode::UPDATE_ONLY) {
        *at = x;
    } else if constexpr (std::is_integral_v<T>) {
        const auto more = static_cast<unsigned long long>(x), before = static_cast<unsigned long long>(*at);
        *at = static_cast<T>(mode == Scatter::Mode::ADD ? before + more : before - more);
    } else {
        store(at, mode == Scatter::Mode::ADD ? number(*at) + number(x) : number(*at) - number(x));
    }
}

Status check_types(const Tensor& inout, const Tensor& indices, const Tensor& update) {
    const bool known = is_known(inout.GetType()) && update.GetType() == inout.GetType() && is_index(indices.GetType());
    return known ? Status::SUCCESS : Status::NOT_SUPPORTED;
}

}  // namespace

Status Scatter::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status Scatter::Run(Handle& handle, Tensor& inout, const Tensor& indices, const Tensor& update, int dimension,
                    const MemoryMaintainer&) const {
    const Status checked = check_types(inout, indices, update);
    if (checked != Status::SUCCESS) return checked;
    const std::size_t rank = inout.sizes().size();
    const int along = dimension_of(dimension, rank);
    if (along < 0 || indices.sizes().size() != rank || update.sizes().size() != rank) return Status::INVALID_PARAMETER;
    const auto axis = static_cast<std::size_t>(along);
    for (std::size_t i = 0; i < rank; ++i) {
        const int64_t size = indices.sizes()[i];
        if (size > update.sizes()[i] || (i != axis && size > inout.sizes()[i])) return Status::INVALID_PARAMETER;
    }
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [inout, indices, update, axis, mode = mode_] {
        Numbers to = inout.strides();
        const int64_t step = to[axis], length = inout.sizes()[axis];
        to[axis] = 0;
        with_type(inout.GetType(), [&](auto* type) {
            auto* const target = static_cast<decltype(type)>(inout.GetAddr());
            const auto* const from = static_cast<decltype(type)>(update.GetAddr());
            const Numbers strides[3] = {to, indices.strides(), update.strides()};
            each(indices.sizes(), strides, [&](const int64_t(&at)[3]) {
                const int64_t index = index_at(indices, at[1]);
                if (index >= 0 && index < length) change(mode, target + at[0] + index * step, from[at[2]]);
            });
        });
    }));
}

Status ScatterND::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

// SUB is not computed: muDNN does not support it, according to its callers.
Status ScatterND::Run(Handle& handle, Tensor& inout, const Tensor& indices, const Tensor& update,
                      const MemoryMaintainer&) const {
    const Status checked = mode_ == Mode::SUB ? Status::NOT_SUPPORTED : check_types(inout, indices, update);
    if (checked != Status::SUCCESS) return checked;
    if (indices.sizes().empty()) return Status::INVALID_PARAMETER;
    const auto depth = static_cast<std::size_t>(indices.sizes().back());
    if (depth > inout.sizes().size()) return Status::INVALID_PARAMETER;
    const auto inner = inout.sizes().begin() + static_cast<std::ptrdiff_t>(depth);
    Numbers rows(indices.sizes().begin(), indices.sizes().end() - 1), slice(inner, inout.sizes().end()), sizes = rows;
    sizes.insert(sizes.end(), slice.begin(), slice.end());
    if (update.sizes() != sizes) return Status::INVALID_PARAMETER;
    const auto how = mode_ == Mode::ADD ? Scatter::Mode::ADD : Scatter::Mode::UPDATE_ONLY;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [inout, indices, update, rows, slice, depth, how] {
        const auto from_outer = update.strides().begin() + static_cast<std::ptrdiff_t>(rows.size());
        const Numbers outer[2] = {Numbers(indices.strides().begin(), indices.strides().end() - 1),
                                 Numbers(update.strides().begin(), from_outer)};
        const Numbers inside[2] = {Numbers(inout.strides().begin() + static_cast<std::ptrdiff_t>(depth), inout.strides().end()),
                                  Numbers(from_outer, update.strides().end())};
        with_type(inout.GetType(), [&](auto* type) {
            auto* const target = static_cast<decltype(type)>(inout.GetAddr());
            const auto* const from = static_cast<decltype(type)>(update.GetAddr());
            each(rows, outer, [&](const int64_t(&at)[2]) {
                int64_t to = 0;
                for (std::size_t i = 0; i < depth; ++i) {
                    const int64_t index = index_at(indices, at[0] + static_cast<int64_t>(i) * indices.strides().back());
                    if (index < 0 || index >= inout.sizes()[i]) return;
                    to += index * inout.strides()[i];
                }
                each(slice, inside,
                     [&](const int64_t(&in)[2]) { change(how, target + to + in[0], from[at[1] + in[1]]); });
            });
        });
    }));
}

}  // namespace musa::dnn
