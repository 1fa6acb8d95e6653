/* How an algorithm comes to run.
 *
 * Every algorithm is written once, as a function object that is host and device code and works through the data in
 * order (see musa_sim/one_thread.h for why that is the right thing here). On the host, and with thrust::seq in kernels,
 * it is called; on the device it becomes a kernel of one thread, whose result is waited for.
 *
 * The functions that launch are host code only. Were they host and device code with the launch under #if, the device
 * pass would never see the kernel and not compile it.
 */
#ifndef MUSA_THRUST_DETAIL_DISPATCH_H
#define MUSA_THRUST_DETAIL_DISPATCH_H

#include <musa_sim/one_thread.h>
#include <musa_sim/type_traits.h>
#include <thrust/device_ptr.h>
#include <thrust/distance.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/iterator_traits.h>

#include <new>
#include <utility>

namespace thrust {
namespace detail {

template <class Algorithm, class... Arguments>
using result_t = typename musa_sim_detail::call_result<Algorithm &, Arguments &...>::type;

template <class Algorithm, class... Arguments>
result_t<Algorithm, Arguments...> run(host_t, Algorithm algorithm, Arguments... arguments) {
    return algorithm(arguments...);
}

#if defined(__MUSACC__)

/* Memory that both sides see. */
template <class T>
class Result {
public:
    Result() { detail::check(musaMallocHost(&at_, sizeof(T)), "memory for a result"); }
    ~Result() { musaFreeHost(at_); }
    Result(const Result &) = delete;
    void *get() const { return at_; }
    T value() const { return *static_cast<T *>(at_); }

private:
    void *at_ = nullptr;
};

template <class Algorithm, class... Arguments>
result_t<Algorithm, Arguments...> run(device_t policy, Algorithm algorithm, Arguments... arguments) {
    using Value = result_t<Algorithm, Arguments...>;
    if constexpr (std::is_void<Value>::value) {
        detail::check(::musa_sim_detail::enqueue(policy.stream, [=] __device__() mutable { algorithm(arguments...); }),
              "launching an algorithm");
        detail::check(musaStreamSynchronize(policy.stream), "an algorithm on the device");
    } else {
        Result<Value> result;
        void *at = result.get();
        detail::check(::musa_sim_detail::enqueue(policy.stream,
                                   [=] __device__() mutable { new (at) Value(algorithm(arguments...)); }),
              "launching an algorithm");
        detail::check(musaStreamSynchronize(policy.stream), "an algorithm on the device");
        return result.value();
    }
}

#else

template <class Algorithm, class... Arguments>
auto run(device_t, Algorithm algorithm, Arguments... arguments) -> decltype(algorithm(arguments...)) {
    static_assert(sizeof(Algorithm) == 0, "algorithms on the device need mcc");
}

#endif

/* On the device if an iterator is of the device, or none is of the host, as for two counting iterators. */
template <class First, class... Arguments>
inline constexpr bool is_for_device = is_device<First>::value || (is_device<Arguments>::value || ...) ||
                                      (is_placeless<First>::value && !(is_of_host<Arguments> || ...));
template <class... Arguments>
using policy_for = musa_sim_detail::conditional_t<is_for_device<Arguments...>, device_t, host_t>;

}  // namespace detail
}  // namespace thrust

/* Declares thrust::name with thrust::seq, with a policy, and with the policy that the iterators imply. */
#define MUSA_THRUST_ALGORITHM(name)                                                                                  \
    template <class... Arguments>                                                                                    \
    __host__ __device__ auto name(detail::seq_t, Arguments... arguments)                                             \
        ->decltype(detail::name##_algorithm()(arguments...)) {                                                       \
        return detail::name##_algorithm()(arguments...);                                                             \
    }                                                                                                                \
    template <class Policy, class... Arguments,                                                                      \
              musa_sim_detail::enable_if_t<detail::is_policy<Policy>, int> = 0>                                      \
    auto name(const Policy &policy, Arguments... arguments)->decltype(detail::name##_algorithm()(arguments...)) {    \
        return detail::run(policy, detail::name##_algorithm(), arguments...);                                        \
    }                                                                                                                \
    template <class First, class... Arguments,                                                                       \
              musa_sim_detail::enable_if_t<!detail::is_policy<First> && !std::is_same<First, detail::seq_t>::value,  \
                                           int> = 0>                                                                 \
    auto name(First first, Arguments... arguments)->decltype(detail::name##_algorithm()(first, arguments...)) {      \
        return detail::run(detail::policy_for<First, Arguments...>(), detail::name##_algorithm(), first,             \
                           arguments...);                                                                            \
    }

#include <thrust/detail/common.h>  // last: its headers need this one

#endif
