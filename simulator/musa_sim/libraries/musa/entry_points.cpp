// Functions by name, and functions that are not simulated.
#include <dlfcn.h>

#include <string>

#include "../refused.h"
#include "base/per_thread_names.h"
#include "driver.h"

namespace {

// Return a handle of this library, whatever other libraries the process has loaded.
void* here() {
    static void* const library = [] {
        Dl_info found{};
        dladdr(reinterpret_cast<void*>(&driver::check_initialised), &found);
        return dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }();
    return library;
}

}  // namespace

MUSA_EXPORT MUresult muGetProcAddress(const char* name, void** function, int version, uint64_t flags) {
    if (!name || !function || version < 0 || flags > MU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return MUSA_ERROR_INVALID_VALUE;
    const bool is_function = std::string(name).rfind("mu", 0) == 0;
    const auto find = [](const char* wanted) { return dlsym(here(), wanted); };
    const bool of_thread = flags == MU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    *function = !is_function ? nullptr : of_thread ? musa_sim::find_second_name(name, find) : find(name);
    return *function ? MUSA_SUCCESS : MUSA_ERROR_NOT_FOUND;
}

// Each function has one form for all versions.
MUSA_EXPORT MUresult muGetProcAddress_v2(const char* name, void** function, int version, uint64_t flags,
                                         MUdriverProcAddressQueryResult* status) {
    const MUresult result = muGetProcAddress(name, function, version, flags);
    if (status && result != MUSA_ERROR_INVALID_VALUE)
        *status = result == MUSA_SUCCESS ? MU_GET_PROC_ADDRESS_SUCCESS : MU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return result;
}

#define MUSA_SIM_REFUSED(name, parameters) MUSA_SIM_REFUSE(MUresult, MUSA_ERROR_NOT_SUPPORTED, name, parameters)
#include <musa_sim/driver_refused.h>
#undef MUSA_SIM_REFUSED
