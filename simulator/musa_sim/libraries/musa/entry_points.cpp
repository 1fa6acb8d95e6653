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

#define MUSA_SIM_REFUSED(name, parameters) MUSA_SIM_REFUSE(MUresult, MUSA_ERROR_NOT_SUPPORTED, name, parameters)
#include <musa_sim/driver_refused.h>
#undef MUSA_SIM_REFUSED
