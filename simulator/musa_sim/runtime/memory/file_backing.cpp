#include "memory/file_backing.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace musa_sim {
namespace {

bool write_all(int file, const char* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes;) {
        const ssize_t written = pwrite(file, from + at, bytes - at, static_cast<off_t>(at));
        if (written <= 0) return false;
        at += static_cast<std::size_t>(written);
    }
    return true;
}

std::uint64_t inode_of(int file) {
    struct stat facts {};
    return fstat(file, &facts) == 0 ? facts.st_ino : 0;
}

}  // namespace

int move_into_file(const Pages& pages) {
    auto* begin = reinterpret_cast<char*>(pages.begin);
    const int file = memfd_create("musa-sim device memory", MFD_CLOEXEC);
    if (file < 0) return -1;
    const bool copied = ftruncate(file, static_cast<off_t>(pages.bytes)) == 0 && write_all(file, begin, pages.bytes);
    if (copied && mmap(begin, pages.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED)
        return file;
    close(file);
    return -1;
}

void map_privately(const Pages& pages, int file) {
    auto* begin = reinterpret_cast<void*>(pages.begin);
    mmap(begin, pages.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
    close(file);
}

SharedFile shared_file(int file) { return {getpid(), file, inode_of(file)}; }

bool is_same_file(int file, const SharedFile& shared) { return inode_of(file) == shared.inode; }

int open_shared(const SharedFile& shared) {
    const std::string path = "/proc/" + std::to_string(shared.process) + "/fd/" + std::to_string(shared.file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0 || inode_of(file) == shared.inode) return file;
    close(file);
    return -1;
}

}  // namespace musa_sim
