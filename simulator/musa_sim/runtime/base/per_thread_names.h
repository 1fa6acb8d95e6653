// Second names of functions of the API, by which the calling thread's default stream comes in place of the legacy one.
//
//   MUSA_SIM_PTSZ(musaMemcpyAsync, 5)  defines musaMemcpyAsync_ptsz: a stream of 0 among its five arguments is replaced
//   MUSA_SIM_PTDS(musaMemcpy, 4)       defines musaMemcpy_ptds: it works in that stream, and returns when it has worked
//
// The parameters are those of the first function. A wrong number of them does not compile.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>

#include <driver_types.h>

#include "base/device_abi.h"

namespace musa_sim {

template <class Function>
struct Signature;
template <class Result, class... Parameters>
struct Signature<Result(Parameters...)> {
    static constexpr std::size_t count = sizeof...(Parameters);
    using Returned = Result;
    template <std::size_t index>
    using Parameter = std::tuple_element_t<index, std::tuple<Parameters...>>;
};

// The argument of the first function for one of the second.
template <class Argument>
Argument of_thread(Argument argument) {
    return argument;
}
inline musaStream_t of_thread(musaStream_t stream) { return stream ? stream : musaStreamPerThread; }

// Configurations of launches have the stream inside. The copy lives until the call has returned.
template <class Configuration, musaStream_t Configuration::*stream>
class ConfigurationOfThread {
public:
    explicit ConfigurationOfThread(const Configuration* given) : given_(given) {
        if (!given) return;
        copy_ = *given;
        copy_.*stream = of_thread(given->*stream);
    }
    operator const Configuration*() const { return given_ ? &copy_ : nullptr; }

private:
    const Configuration* given_;
    Configuration copy_{};
};
inline ConfigurationOfThread<musaLaunchConfig_t, &musaLaunchConfig_t::stream> of_thread(
    const musaLaunchConfig_t* configuration) {
    return ConfigurationOfThread<musaLaunchConfig_t, &musaLaunchConfig_t::stream>(configuration);
}

// For as long as it lives, and until a call of this thread has asked for the default stream.
class DefaultOfThread {
public:
    DefaultOfThread() { __musa_sim_default_of_thread(true); }
    ~DefaultOfThread() { __musa_sim_default_of_thread(false); }
    DefaultOfThread(const DefaultOfThread&) = delete;
    DefaultOfThread& operator=(const DefaultOfThread&) = delete;
};

// Find a driver's function by its second name, or else by the name itself. Programs know functions by the names that the
// header gives their second versions.
template <class Find>
void* find_second_name(const std::string& name, Find&& find) {
    for (const char* ending : {"_ptsz", "_ptds", "_v2_ptsz", "_v2_ptds"}) {
        if (void* const found = find((name + ending).c_str())) return found;
    }
    return find(name.c_str());
}

}  // namespace musa_sim

#define MUSA_SIM_PARAMETER(name, index) musa_sim::Signature<decltype(name)>::Parameter<index> a##index
#define MUSA_SIM_PARAMETERS_1(name) MUSA_SIM_PARAMETER(name, 0)
#define MUSA_SIM_PARAMETERS_2(name) MUSA_SIM_PARAMETERS_1(name), MUSA_SIM_PARAMETER(name, 1)
#define MUSA_SIM_PARAMETERS_3(name) MUSA_SIM_PARAMETERS_2(name), MUSA_SIM_PARAMETER(name, 2)
#define MUSA_SIM_PARAMETERS_4(name) MUSA_SIM_PARAMETERS_3(name), MUSA_SIM_PARAMETER(name, 3)
#define MUSA_SIM_PARAMETERS_5(name) MUSA_SIM_PARAMETERS_4(name), MUSA_SIM_PARAMETER(name, 4)
#define MUSA_SIM_PARAMETERS_6(name) MUSA_SIM_PARAMETERS_5(name), MUSA_SIM_PARAMETER(name, 5)
#define MUSA_SIM_PARAMETERS_7(name) MUSA_SIM_PARAMETERS_6(name), MUSA_SIM_PARAMETER(name, 6)
#define MUSA_SIM_PARAMETERS_8(name) MUSA_SIM_PARAMETERS_7(name), MUSA_SIM_PARAMETER(name, 7)
#define MUSA_SIM_PARAMETERS_9(name) MUSA_SIM_PARAMETERS_8(name), MUSA_SIM_PARAMETER(name, 8)
#define MUSA_SIM_PARAMETERS_10(name) MUSA_SIM_PARAMETERS_9(name), MUSA_SIM_PARAMETER(name, 9)
#define MUSA_SIM_PARAMETERS_11(name) MUSA_SIM_PARAMETERS_10(name), MUSA_SIM_PARAMETER(name, 10)

#define MUSA_SIM_ARGUMENTS_1(of) of(a0)
#define MUSA_SIM_ARGUMENTS_2(of) MUSA_SIM_ARGUMENTS_1(of), of(a1)
#define MUSA_SIM_ARGUMENTS_3(of) MUSA_SIM_ARGUMENTS_2(of), of(a2)
#define MUSA_SIM_ARGUMENTS_4(of) MUSA_SIM_ARGUMENTS_3(of), of(a3)
#define MUSA_SIM_ARGUMENTS_5(of) MUSA_SIM_ARGUMENTS_4(of), of(a4)
#define MUSA_SIM_ARGUMENTS_6(of) MUSA_SIM_ARGUMENTS_5(of), of(a5)
#define MUSA_SIM_ARGUMENTS_7(of) MUSA_SIM_ARGUMENTS_6(of), of(a6)
#define MUSA_SIM_ARGUMENTS_8(of) MUSA_SIM_ARGUMENTS_7(of), of(a7)
#define MUSA_SIM_ARGUMENTS_9(of) MUSA_SIM_ARGUMENTS_8(of), of(a8)
#define MUSA_SIM_ARGUMENTS_10(of) MUSA_SIM_ARGUMENTS_9(of), of(a9)
#define MUSA_SIM_ARGUMENTS_11(of) MUSA_SIM_ARGUMENTS_10(of), of(a10)

#define MUSA_SIM_SECOND_NAME(second, name, number, ...)                                                        \
    static_assert(musa_sim::Signature<decltype(name)>::count == number, #name " has another number of parameters"); \
    extern "C" __attribute__((visibility("default"))) musa_sim::Signature<decltype(name)>::Returned second(        \
        MUSA_SIM_PARAMETERS_##number(name)) {                                                                       \
        __VA_ARGS__                                                                                                \
    }
#define MUSA_SIM_UNCHANGED(argument) argument
#define MUSA_SIM_PTSZ(name, number) \
    MUSA_SIM_SECOND_NAME(name##_ptsz, name, number, return name(MUSA_SIM_ARGUMENTS_##number(musa_sim::of_thread));)
#define MUSA_SIM_PTDS(name, number)                                                \
    MUSA_SIM_SECOND_NAME(name##_ptds, name, number, musa_sim::DefaultOfThread here; \
                         return name(MUSA_SIM_ARGUMENTS_##number(MUSA_SIM_UNCHANGED));)
