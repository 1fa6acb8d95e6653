// Marks the SDK root that this library is in as used. sdk_root.py removes roots that nothing has used for
// some time, and a program needs its root for as long as it is run.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <string>

namespace {

// Below this age (seconds) the stamp is left as it is, so that most programs only look.
constexpr time_t fresh = 3600;

__attribute__((constructor)) void mark_root_used() {
    Dl_info here{};
    if (!dladdr(reinterpret_cast<const void*>(&mark_root_used), &here) || !here.dli_fname) return;
    const std::string library = here.dli_fname;
    const std::string stamp = library.substr(0, library.rfind('/') + 1) + "../share/musa_sim/last_used";
    struct stat found {};
    if (stat(stamp.c_str(), &found) == 0 && time(nullptr) - found.st_mtime > fresh)
        utimensat(AT_FDCWD, stamp.c_str(), nullptr, 0);
}

}  // namespace
