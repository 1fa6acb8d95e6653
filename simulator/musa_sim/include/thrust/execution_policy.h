/* Where algorithms run: thrust::host, thrust::device, thrust::seq, and thrust::musa::par.on(stream).
 *
 * seq is the only one for kernels. Algorithms on the device return when they have ended, also with par_nosync, which
 * only allows them not to.
 */
#ifndef MUSA_THRUST_EXECUTION_POLICY_H
#define MUSA_THRUST_EXECUTION_POLICY_H

#include <musa_runtime.h>

#include <type_traits>

namespace thrust {

namespace detail {

struct seq_t {};
struct host_t {};
struct device_t {
    musaStream_t stream;

    constexpr explicit device_t(musaStream_t of = nullptr) : stream(of) {}
    device_t on(musaStream_t other) const { return device_t(other); }
    /* Temporary memory comes from the device's heap, whatever allocator is offered. */
    template <class Allocator>
    device_t operator()(Allocator &&) const {
        return *this;
    }
};

template <class T>
inline constexpr bool is_policy = std::is_same<T, host_t>::value || std::is_same<T, device_t>::value;

}  // namespace detail

static constexpr detail::seq_t seq{};
static constexpr detail::host_t host{};
static constexpr detail::device_t device{};

namespace musa {
static constexpr detail::device_t par{};
static constexpr detail::device_t par_nosync{};
}  // namespace musa

}  // namespace thrust

#endif
