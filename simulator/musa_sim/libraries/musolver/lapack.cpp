#include "lapack.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <string>

#include "base/lifetime.h"

namespace lapack {
namespace {

struct Library {
    void* handle = nullptr;
    std::string prefix;  // the beginning of its functions' names
};

// Return the path in the SDK of this library: next to lib/libmusolver.so.1, share/musa_sim/lapack.
std::string path_in_sdk() {
    Dl_info here{};
    if (!dladdr(reinterpret_cast<const void*>(&is_there), &here)) return "";
    const std::string file = here.dli_fname;
    std::ifstream entry(file.substr(0, file.rfind('/')) + "/../share/musa_sim/lapack");
    std::string path;
    std::getline(entry, path);
    return path;
}

// Hide its symbols from the program, which may have loaded another LAPACK.
bool open(const std::string& path, Library& library) {
    if (path.empty()) return false;
    library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library.handle) return false;
    for (const char* prefix : {"", "scipy_"}) {
        library.prefix = prefix;
        if (dlsym(library.handle, (library.prefix + "LAPACKE_sgetrf").c_str())) return true;
    }
    return false;
}

// Do not check for NaN. Compute with one thread, so that results do not depend on the number of cores; no other library
// uses this copy of OpenBLAS.
void configure(const Library& library) {
    const auto set = [&](const std::string& name, int value) {
        if (auto* setter = reinterpret_cast<void (*)(int)>(dlsym(library.handle, name.c_str()))) setter(value);
    };
    set(library.prefix + "LAPACKE_set_nancheck", 0);
    if (!library.prefix.empty()) set(library.prefix + "openblas_set_num_threads", 1);
}

Library load() {
    Library library;
    const char* chosen = std::getenv("MUSA_SIM_LAPACK");
    if (chosen && *chosen) {
        if (open(chosen, library)) return configure(library), library;
        std::fprintf(stderr, "[musa-sim] MUSA_SIM_LAPACK=%s is no shared library with LAPACKE\n", chosen);
        return {};
    }
    for (const std::string& path : {path_in_sdk(), std::string("liblapacke.so.3"), std::string("libopenblas.so.0")}) {
        if (open(path, library)) return configure(library), library;
    }
    std::fprintf(stderr,
                 "[musa-sim] muSOLVER needs LAPACK and found none: install scipy-openblas32 with pip, or the system's "
                 "liblapacke, or name a shared library with LAPACKE in MUSA_SIM_LAPACK\n");
    return {};
}

const Library& library() {
    static const Library& opened = musa_sim::leaked<Library>(load());
    return opened;
}

}  // namespace

bool is_there() { return library().handle != nullptr; }

void* find(char letter, const char* routine) {
    return dlsym(library().handle, (library().prefix + "LAPACKE_" + letter + routine).c_str());
}

}  // namespace lapack
