// Functions of the driver API by name. The driver is a library above this one, and loaded here at its first use.
#include <dlfcn.h>

#include <string>

#include "base/devices.h"
#include "base/per_thread_names.h"
#include "driver_functions.h"

namespace {

// nullptr, if there is no such library; it is never unloaded.
void* driver() {
    static void* const library = [] {
        // Beside this library, or where the program finds libraries.
        Dl_info here{};
        std::string folder;
        if (dladdr(reinterpret_cast<void*>(&musaGetDriverEntryPoint), &here) && here.dli_fname) {
            folder = here.dli_fname;
            folder.erase(folder.rfind('/') + 1);
        }
        void* beside = dlopen((folder + "libmusa.so.1").c_str(), RTLD_LAZY | RTLD_LOCAL);
        return beside ? beside : dlopen("libmusa.so.1", RTLD_LAZY | RTLD_LOCAL);
    }();
    return library;
}

}  // namespace

void* musa_sim::driver_function(const char* name) { return driver() ? dlsym(driver(), name) : nullptr; }

musaError_t musaGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                                    musaDriverEntryPointQueryResult* status) {
    return musa_sim::api_call([&] {
        if (!symbol || !funcPtr || flags > musaEnablePerThreadDefaultStream) return musaErrorInvalidValue;
        *funcPtr = flags == musaEnablePerThreadDefaultStream
                       ? musa_sim::find_second_name(symbol, musa_sim::driver_function)
                       : musa_sim::driver_function(symbol);
        if (status) *status = *funcPtr ? musaDriverEntryPointSuccess : musaDriverEntryPointSymbolNotFound;
        return musaSuccess;
    });
}

// The driver has one form of each function for all versions.
musaError_t musaGetDriverEntryPointByVersion(const char* symbol, void** funcPtr, unsigned int, unsigned long long flags,
                                             musaDriverEntryPointQueryResult* status) {
    return musaGetDriverEntryPoint(symbol, funcPtr, flags, status);
}
