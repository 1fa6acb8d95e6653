// Elements at other positions: filled, permuted, concatenated, gathered, sorted.
#include "../enqueue.h"
#include "elements.h"

#include <numeric>
#include <type_traits>

namespace musa::dnn {
namespace {

using namespace mudnn;
using Sizes = std::vector<int64_t>;

// Copy elements of one type to a tensor with other strides.
void copy(const Tensor& out, const Sizes& sizes, const Sizes& to, const Tensor& in, const Sizes& from, int64_t to_first = 0,
          int64_t from_first = 0) {
    with_type(out.GetType(), [&](auto* type) {
        auto* const target = static_cast<decltype(type)>(out.GetAddr()) + to_first;
        const auto* const source = static_cast<decltype(type)>(in.GetAddr()) + from_first;
        const Sizes both[2] = {to, from};
        each(sizes, both, [&](const int64_t(&at)[2]) { target[at[0]] = source[at[1]]; });
    });
}

template <class T>
bool is_before(bool descending, T x, T y) {
    if constexpr (std::is_integral_v<T>) return descending ? x > y : x < y;
    const double a = number(x), b = number(y);
    // NaN counts as the largest, as in torch
    if (descending) return a != a ? b == b : a > b;
    return b != b ? a == a : a < b;
}

// Tensors of the same sizes, as lines of elements along a dimension.
template <std::size_t N>
struct SameLines {
    SameLines(const std::vector<const Tensor*>& tensors, int dimension) {
        const auto axis = static_cast<std::size_t>(dimension);
        outer = tensors[0]->sizes();
        outer[axis] = 1;
        for (std::size_t i = 0; i < N; ++i) {
            strides[i] = tensors[i]->strides();
            steps[i] = strides[i][axis];
        }
    }
    Sizes outer, strides[N];
    int64_t steps[N];
};

// Return the order that sorts a line of keys; the sort is stable.
template <class T>
std::vector<int64_t> order_of(const T* keys, int64_t step, int64_t length, bool descending) {
    std::vector<int64_t> order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t x, int64_t y) { return is_before(descending, keys[x * step], keys[y * step]); });
    return order;
}

}  // namespace

Status Fill::SetValue(double value) {
    value_ = value;
    integer_ = static_cast<int64_t>(value);
    return Status::SUCCESS;
}

Status Fill::SetValue(int64_t value) {
    value_ = static_cast<double>(value);
    integer_ = value;
    return Status::SUCCESS;
}

Status Fill::run(Handle& handle, const Tensor& out, const Tensor* mask) const {
    Sizes chosen;
    if (!is_known(out.GetType()) || (mask && mask->GetType() != Type::BOOL)) return Status::NOT_SUPPORTED;
    if (mask && !strides_for(*mask, out.sizes(), chosen)) return Status::INVALID_PARAMETER;
    if (!mask) chosen.assign(out.sizes().size(), 0);
    const auto* const where = mask ? static_cast<const bool*>(mask->GetAddr()) : nullptr;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [out, chosen, where, value = value_, integer = integer_] {
            with_type(out.GetType(), [&](auto* type) {
                using T = std::remove_pointer_t<decltype(type)>;
                T* const target = static_cast<T*>(out.GetAddr());
                const Sizes both[2] = {out.strides(), chosen};
                each(out.sizes(), both, [&](const int64_t(&at)[2]) {
                    if (where && !where[at[1]]) return;
                    if constexpr (std::is_integral_v<T>) target[at[0]] = static_cast<T>(integer);
                    else store(target + at[0], value);
                });
            });
        }));
}

Status Fill::Run(Handle& handle, Tensor& out) const {
    return run(handle, out, nullptr);
}

Status Fill::Run(Handle& handle, Tensor& out, const Tensor& mask) const {
    return run(handle, out, &mask);
}

// View the input with its dimensions in the order of the output.
Status Permute::ConfigDimStride(Tensor& out, Tensor& in, int count, const int64_t* order) {
    const auto rank = static_cast<std::size_t>(count);
    if (count <= 0 || !order || in.sizes().size() != rank || out.sizes().size() != rank) return Status::INVALID_PARAMETER;
    Sizes sizes, strides;
    std::vector<bool> seen(rank, false);
    for (std::size_t i = 0; i < rank; ++i) {
        const auto from = static_cast<std::size_t>(order[i]);
        if (order[i] < 0 || from >= rank || seen[from] || out.sizes()[i] != in.sizes()[from]) return Status::INVALID_PARAMETER;
        seen[from] = true;
        sizes.push_back(in.sizes()[from]);
        strides.push_back(in.strides()[from]);
    }
    return in.SetNdInfo(count, sizes.data(), strides.data());
}

Status Permute::Run(Handle& handle, Tensor& out, const Tensor& in) const {
    if (!is_known(out.GetType()) || out.GetType() != in.GetType()) return Status::NOT_SUPPORTED;
    if (out.sizes() != in.sizes()) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [out, in] { copy(out, out.sizes(), out.strides(), in, in.strides()); }));
}

Status Concat::SetAxis(int axis) {
    axis_ = axis;
    return Status::SUCCESS;
}

Status Concat::Run(Handle& handle, Tensor& out, int count, const Tensor* in) const {
    if (count <= 0 || !in) return Status::INVALID_PARAMETER;
    const std::vector<Tensor> parts(in, in + count);
    const int axis = dimension_of(axis_, out.sizes().size());
    if (!is_known(out.GetType()) || axis < 0) return axis < 0 ? Status::INVALID_PARAMETER : Status::NOT_SUPPORTED;
    const auto along = static_cast<std::size_t>(axis);
    int64_t length = 0;
    for (const Tensor& part : parts) {
        if (part.GetType() != out.GetType()) return Status::NOT_SUPPORTED;
        if (part.sizes().size() != out.sizes().size()) return Status::INVALID_PARAMETER;
        Sizes sizes = part.sizes();
        length += sizes[along];
        sizes[along] = out.sizes()[along];
        if (sizes != out.sizes()) return Status::INVALID_PARAMETER;
    }
    if (length != out.sizes()[along]) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [out, parts, along] {
        int64_t at = 0;
        for (const Tensor& part : parts) {
            copy(out, part.sizes(), out.strides(), part, part.strides(), at * out.strides()[along]);
            at += part.sizes()[along];
        }
    }));
}

Status GatherX::SetMode(Mode mode) {
    mode_ = mode;
    return Status::SUCCESS;
}

Status GatherX::SetAxis(int axis) {
    axis_ = axis;
    return Status::SUCCESS;
}

Status GatherX::SetBatchDims(int count) {
    batch_dimensions_ = count;
    return Status::SUCCESS;
}

// As tf.gather: in the sizes of `in`, the indices' dimensions after the batch replace the axis.
Status GatherX::Run(Handle& handle, Tensor& out, const Tensor& indices, const Tensor& in) const {
    if (!is_known(out.GetType()) || out.GetType() != in.GetType() || !is_index(indices.GetType()))
        return Status::NOT_SUPPORTED;
    const int axis = dimension_of(axis_, in.sizes().size());
    const int batch = batch_dimensions_;
    if (axis < 0 || batch < 0 || batch > axis || batch > static_cast<int>(indices.sizes().size()))
        return Status::INVALID_PARAMETER;
    Sizes sizes(in.sizes().begin(), in.sizes().begin() + axis), from(in.strides().begin(), in.strides().begin() + axis);
    Sizes which(indices.strides().begin(), indices.strides().begin() + batch);
    if (!std::equal(indices.sizes().begin(), indices.sizes().begin() + batch, sizes.begin())) return Status::INVALID_PARAMETER;
    which.resize(static_cast<std::size_t>(axis), 0);
    for (std::size_t i = static_cast<std::size_t>(batch); i < indices.sizes().size(); ++i) {
        sizes.push_back(indices.sizes()[i]);
        from.push_back(0);
        which.push_back(indices.strides()[i]);
    }
    for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < in.sizes().size(); ++i) {
        sizes.push_back(in.sizes()[i]);
        from.push_back(in.strides()[i]);
        which.push_back(0);
    }
    if (sizes != out.sizes()) return Status::INVALID_PARAMETER;
    const int64_t length = in.sizes()[static_cast<std::size_t>(axis)], step = in.strides()[static_cast<std::size_t>(axis)];
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [=] {
        with_type(out.GetType(), [&](auto* type) {
            using T = std::remove_pointer_t<decltype(type)>;
            const Sizes all[3] = {out.strides(), from, which};
            each(sizes, all, [&](const int64_t(&at)[3]) {
                const int64_t index = index_at(indices, at[2]);
                const bool is_there = index >= 0 && index < length;  // else zero, as TensorFlow returns on devices
                static_cast<T*>(out.GetAddr())[at[0]] =
                    is_there ? static_cast<const T*>(in.GetAddr())[at[1] + index * step] : T{};
            });
        });
    }));
}

Status Sorting::SetDim(int dimension) {
    dimension_ = dimension;
    return Status::SUCCESS;
}

Status Sorting::SetDescending(bool descending) {
    descending_ = descending;
    return Status::SUCCESS;
}

// All sorts are stable.
Status Sorting::SetStable(bool) {
    return Status::SUCCESS;
}

Status Sort::Run(Handle& handle, Tensor& values, Tensor& indices, const Tensor& in, const MemoryMaintainer&) const {
    if (!is_known(in.GetType()) || values.GetType() != in.GetType() || !is_index(indices.GetType()))
        return Status::NOT_SUPPORTED;
    const int dimension = dimension_of(dimension_, in.sizes().size());
    if (dimension < 0 || values.sizes() != in.sizes() || indices.sizes() != in.sizes()) return Status::INVALID_PARAMETER;
    return partial(handle, values, indices, in, dimension, in.sizes()[static_cast<std::size_t>(dimension)]);
}

// Return the first `length` elements of each sorted line.
Status Sorting::partial(Handle& handle, const Tensor& values, const Tensor& indices, const Tensor& in, int dimension,
                        int64_t length) const {
    const SameLines<3> lines({&values, &indices, &in}, dimension);
    const int64_t all = in.sizes()[static_cast<std::size_t>(dimension)];
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [=, descending = descending_] {
        if (all == 0) return;
        with_type(in.GetType(), [&](auto* type) {
            using T = std::remove_pointer_t<decltype(type)>;
            each(lines.outer, lines.strides, [&](const int64_t(&at)[3]) {
                const T* const keys = static_cast<const T*>(in.GetAddr()) + at[2];
                const std::vector<int64_t> order = order_of(keys, lines.steps[2], all, descending);
                std::vector<T> sorted;  // `values` may be `in`
                for (int64_t i = 0; i < length; ++i) sorted.push_back(keys[order[static_cast<std::size_t>(i)] * lines.steps[2]]);
                for (int64_t i = 0; i < length; ++i) {
                    static_cast<T*>(values.GetAddr())[at[0] + i * lines.steps[0]] = sorted[static_cast<std::size_t>(i)];
                    put_index(indices, at[1] + i * lines.steps[1], order[static_cast<std::size_t>(i)]);
                }
            });
        });
    }));
}

Status SortByKey::Run(Handle& handle, Tensor& keys_out, Tensor& values_out, const Tensor& keys, const Tensor& values,
                      const MemoryMaintainer&) const {
    if (!is_known(keys.GetType()) || keys_out.GetType() != keys.GetType() || !is_known(values.GetType()) ||
        values_out.GetType() != values.GetType())
        return Status::NOT_SUPPORTED;
    const int dimension = dimension_of(dimension_, keys.sizes().size());
    for (const Tensor* each : {static_cast<const Tensor*>(&keys_out), static_cast<const Tensor*>(&values_out), &values}) {
        if (dimension < 0 || each->sizes() != keys.sizes()) return Status::INVALID_PARAMETER;
    }
    const SameLines<4> lines({&keys_out, &values_out, &keys, &values}, dimension);
    const int64_t length = keys.sizes()[static_cast<std::size_t>(dimension)];
    return status_of(musa_sim::enqueue_work(
        handle.GetStream(), [=, keys_to = Tensor(keys_out), values_to = Tensor(values_out), descending = descending_] {
            if (length == 0) return;
            each(lines.outer, lines.strides, [&](const int64_t(&at)[4]) {
                std::vector<int64_t> order;
                with_type(keys.GetType(), [&](auto* type) {
                    order = order_of(static_cast<decltype(type)>(keys.GetAddr()) + at[2], lines.steps[2], length, descending);
                });
                const auto rearrange = [&](const Tensor& to, const Tensor& from, std::size_t target, std::size_t source) {
                    with_type(to.GetType(), [&](auto* type) {
                        using T = std::remove_pointer_t<decltype(type)>;
                        std::vector<T> sorted;
                        for (int64_t i : order)
                            sorted.push_back(static_cast<const T*>(from.GetAddr())[at[source] + i * lines.steps[source]]);
                        for (std::size_t i = 0; i < sorted.size(); ++i)
                            static_cast<T*>(to.GetAddr())[at[target] + static_cast<int64_t>(i) * lines.steps[target]] = sorted[i];
                    });
                };
                rearrange(values_to, values, 1, 3);
                rearrange(keys_to, keys, 0, 2);
            });
        }));
}

Status TopK::SetK(int count) {
    if (count < 0) return Status::INVALID_PARAMETER;
    count_ = count;
    return Status::SUCCESS;
}

Status TopK::SetDim(int dimension) {
    return order_.SetDim(dimension), dimension_ = dimension, Status::SUCCESS;
}

Status TopK::SetLargest(bool largest) {
    return order_.SetDescending(largest);
}

// The results are always sorted.
Status TopK::SetSorted(bool) {
    return Status::SUCCESS;
}

Status TopK::Run(Handle& handle, Tensor& values, Tensor& indices, const Tensor& in, const MemoryMaintainer&) const {
    if (!is_known(in.GetType()) || values.GetType() != in.GetType() || !is_index(indices.GetType()))
        return Status::NOT_SUPPORTED;
    const int dimension = dimension_of(dimension_, in.sizes().size());
    if (dimension < 0) return Status::INVALID_PARAMETER;
    Sizes sizes = in.sizes();
    if (count_ > sizes[static_cast<std::size_t>(dimension)]) return Status::INVALID_PARAMETER;
    sizes[static_cast<std::size_t>(dimension)] = count_;
    if (values.sizes() != sizes || indices.sizes() != sizes) return Status::INVALID_PARAMETER;
    return order_.partial(handle, values, indices, in, dimension, count_);
}

}  // namespace musa::dnn
