// Results whose sizes depend on the elements: indices of nonzero elements, elements that a mask selects, unique
// elements.
#include "../enqueue.h"
#include "elements.h"

#include <memory>
#include <type_traits>
#include <unordered_map>

namespace musa::dnn {
namespace {

using namespace mudnn;

bool is_mask(Type type) { return type == Type::BOOL || type == Type::UINT8; }

// Run `find` in the order of the stream; wait for the number that it returns.
template <class Find>
Status find_now(Handle& handle, Find find, int64_t& number) {
    const auto found = std::make_shared<int64_t>(0);
    const Status status = status_of(musa_sim::enqueue_work(handle.GetStream(), [find, found] { *found = find(); }));
    if (status != Status::SUCCESS) return status;
    const Status waited = status_of(musaStreamSynchronize(handle.GetStream()));
    number = *found;
    return waited;
}

// Return a key that equal elements share: integers themselves, other elements as numbers.
template <class T>
auto key_of(T x) {
    if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(x);
    else return number(x);
}

}  // namespace

Status Nonzero::Run(Handle& handle, Tensor& out, const Tensor& in, const MemoryMaintainer&) const {
    if (!is_known(in.GetType()) || !is_index(out.GetType())) return Status::NOT_SUPPORTED;
    const auto rank = static_cast<int64_t>(in.sizes().size());
    if (count(out.sizes()) < count(in.sizes()) * rank) return Status::INVALID_PARAMETER;
    int64_t found = 0;
    const Status status = find_now(
        handle,
        [out = Tensor(out), in] {
            const std::vector<int64_t> dense = dense_strides(in.sizes()), strides[2] = {in.strides(), dense};
            int64_t to = 0, lines = 0;
            each(in.sizes(), strides, [&](const int64_t(&at)[2]) {
                if (read(in.GetType(), in.GetAddr(), at[0]) == 0) return;
                for (std::size_t i = 0; i < dense.size(); ++i) put_index(out, to++, at[1] / dense[i] % in.sizes()[i]);
                ++lines;
            });
            return lines;
        },
        found);
    if (status == Status::SUCCESS) out.SetNdInfo({found, rank});
    return status;
}

Status MaskedSelect::Run(Handle& handle, Tensor& out, const Tensor& in, const Tensor& mask, const MemoryMaintainer&) const {
    if (!is_known(in.GetType()) || out.GetType() != in.GetType() || !is_mask(mask.GetType())) return Status::NOT_SUPPORTED;
    std::vector<int64_t> chosen;
    if (!strides_for(mask, in.sizes(), chosen) || count(out.sizes()) < count(in.sizes())) return Status::INVALID_PARAMETER;
    int64_t found = 0;
    const Status status = find_now(
        handle,
        [out = Tensor(out), in, mask, chosen] {
            int64_t to = 0;
            with_type(in.GetType(), [&](auto* type) {
                const auto* const from = static_cast<decltype(type)>(in.GetAddr());
                auto* const target = static_cast<decltype(type)>(out.GetAddr());
                const std::vector<int64_t> strides[2] = {in.strides(), chosen};
                each(in.sizes(), strides, [&](const int64_t(&at)[2]) {
                    if (read(mask.GetType(), mask.GetAddr(), at[1]) != 0) target[to++] = from[at[0]];
                });
            });
            return to;
        },
        found);
    if (status == Status::SUCCESS) out.SetNdInfo({found});
    return status;
}

Status MaskedScatter::Run(Handle& handle, Tensor& inout, const Tensor& mask, const Tensor& source,
                          const MemoryMaintainer&) const {
    if (!is_known(inout.GetType()) || source.GetType() != inout.GetType() || !is_mask(mask.GetType()))
        return Status::NOT_SUPPORTED;
    std::vector<int64_t> chosen;
    if (!strides_for(mask, inout.sizes(), chosen)) return Status::INVALID_PARAMETER;
    return status_of(musa_sim::enqueue_work(handle.GetStream(), [inout, mask, source, chosen] {
        with_type(inout.GetType(), [&](auto* type) {
            std::vector<int64_t> chosen_offsets;
            const std::vector<int64_t> strides[2] = {inout.strides(), chosen}, from[1] = {source.strides()};
            each(inout.sizes(), strides, [&](const int64_t(&at)[2]) {
                if (read(mask.GetType(), mask.GetAddr(), at[1]) != 0) chosen_offsets.push_back(at[0]);
            });
            std::size_t next = 0;
            each(source.sizes(), from, [&](const int64_t(&at)[1]) {
                if (next == chosen_offsets.size()) return;
                static_cast<decltype(type)>(inout.GetAddr())[chosen_offsets[next++]] =
                    static_cast<decltype(type)>(source.GetAddr())[at[0]];
            });
        });
    }));
}

Status Unique::SetMode(Mode) {
    return Status::SUCCESS;
}

Status Unique::Run(Handle& handle, Tensor& values, Tensor& indices, Tensor& counts, const Tensor& in,
                   const MemoryMaintainer&) const {
    if (!is_known(in.GetType()) || values.GetType() != in.GetType() || !is_index(indices.GetType()) ||
        !is_index(counts.GetType()))
        return Status::NOT_SUPPORTED;
    const int64_t all = count(in.sizes());
    if (count(values.sizes()) < all || count(indices.sizes()) != all || count(counts.sizes()) < all)
        return Status::INVALID_PARAMETER;
    int64_t found = 0;
    const Status status = find_now(
        handle,
        [values = Tensor(values), indices = Tensor(indices), counts = Tensor(counts), in] {
            std::vector<int64_t> how_often;
            with_type(in.GetType(), [&](auto* type) {
                using T = std::remove_pointer_t<decltype(type)>;
                std::unordered_map<decltype(key_of(T{})), std::size_t> known;
                int64_t at_index = 0;
                const std::vector<int64_t> strides[1] = {in.strides()};
                each(in.sizes(), strides, [&](const int64_t(&at)[1]) {
                    const T x = static_cast<const T*>(in.GetAddr())[at[0]];
                    const auto [entry, is_new] = known.try_emplace(key_of(x), how_often.size());
                    if (is_new) {
                        static_cast<T*>(values.GetAddr())[how_often.size()] = x;
                        how_often.push_back(0);
                    }
                    ++how_often[entry->second];
                    put_index(indices, at_index++, static_cast<int64_t>(entry->second));
                });
            });
            for (std::size_t i = 0; i < how_often.size(); ++i) put_index(counts, static_cast<int64_t>(i), how_often[i]);
            return static_cast<int64_t>(how_often.size());
        },
        found);
    if (status != Status::SUCCESS) return status;
    values.SetNdInfo({found});
    return counts.SetNdInfo({found});
}

}  // namespace musa::dnn
