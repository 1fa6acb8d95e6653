/* Exceptions of the standard library in kernels: what would throw ends the launch, with a report.
 *
 * mcc only, and before the first header of the C++ library. libstdc++ throws through functions of
 * its own (std::__throw_out_of_range, ...), which are the host's. The overloads here are what
 * device code gets. They are declared first, so that a constexpr one does not become callable from
 * both sides and conflict with them. A function that a release of libstdc++ lacks is not called.
 *
 * A `throw` written in the program stays clang's error in device code.
 */
#ifndef MUSA_SIM_EXCEPTIONS_H
#define MUSA_SIM_EXCEPTIONS_H

#include <host_defines.h>
#include <musa_sim/runtime_functions.h>

/* Members that throw by themselves (std::expected's). The type is not evaluated, only named. */
#if defined(__MUSA_ARCH__) && !defined(_GLIBCXX_THROW_OR_ABORT)
#define _GLIBCXX_THROW_OR_ABORT(exception) (__musa_sim_throw(#exception, nullptr))
#endif

#define MUSA_SIM_THROWS __device__ inline __attribute__((noreturn, noinline, cold)) void

namespace std {

#define MUSA_SIM_THROW_WITH_TEXT(type) \
    MUSA_SIM_THROWS __throw_##type(const char* what) { __musa_sim_throw("std::" #type, what); }
MUSA_SIM_THROW_WITH_TEXT(logic_error)
MUSA_SIM_THROW_WITH_TEXT(domain_error)
MUSA_SIM_THROW_WITH_TEXT(invalid_argument)
MUSA_SIM_THROW_WITH_TEXT(length_error)
MUSA_SIM_THROW_WITH_TEXT(out_of_range)
MUSA_SIM_THROW_WITH_TEXT(runtime_error)
MUSA_SIM_THROW_WITH_TEXT(range_error)
MUSA_SIM_THROW_WITH_TEXT(overflow_error)
MUSA_SIM_THROW_WITH_TEXT(underflow_error)
MUSA_SIM_THROW_WITH_TEXT(format_error)
MUSA_SIM_THROW_WITH_TEXT(bad_variant_access)
#undef MUSA_SIM_THROW_WITH_TEXT

#define MUSA_SIM_THROW(type) \
    MUSA_SIM_THROWS __throw_##type() { __musa_sim_throw("std::" #type, nullptr); }
MUSA_SIM_THROW(bad_exception)
MUSA_SIM_THROW(bad_alloc)
MUSA_SIM_THROW(bad_array_new_length)
MUSA_SIM_THROW(bad_cast)
MUSA_SIM_THROW(bad_typeid)
MUSA_SIM_THROW(bad_function_call)
MUSA_SIM_THROW(bad_optional_access)
MUSA_SIM_THROW(bad_any_cast)
#undef MUSA_SIM_THROW

MUSA_SIM_THROWS __throw_out_of_range_fmt(const char* format, ...) {
    char text[512];
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    __builtin_vsnprintf(text, sizeof text, format, arguments);
    __musa_sim_throw("std::out_of_range", text);
}

/* libstdc++ 12 tells whether the variant has no value, 14 gives an index of its own texts. */
MUSA_SIM_THROWS __throw_bad_variant_access(bool valueless) {
    __throw_bad_variant_access(valueless ? "the variant is valueless" : "wrong index for variant");
}
MUSA_SIM_THROWS __throw_bad_variant_access(unsigned) { __throw_bad_variant_access(""); }

/* -D_GLIBCXX_ASSERTIONS: by its names since libstdc++ 12 and before. */
MUSA_SIM_THROWS __glibcxx_assert_fail(const char* file, int line, const char* function,
                                      const char* condition) noexcept {
    __musa_sim_assert_fail(condition, file, static_cast<unsigned>(line), function);
}
MUSA_SIM_THROWS __replacement_assert(const char* file, int line, const char* function,
                                     const char* condition) {
    __musa_sim_assert_fail(condition, file, static_cast<unsigned>(line), function);
}

}  // namespace std

#undef MUSA_SIM_THROWS

#endif
