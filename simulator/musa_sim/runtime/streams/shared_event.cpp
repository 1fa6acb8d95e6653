#include "streams/shared_event.h"

#include <sys/mman.h>
#include <unistd.h>

namespace musa_sim {

// Takes the file.
std::shared_ptr<SharedEvent> SharedEvent::map(int file) {
    if (file < 0) return nullptr;
    void* const words = mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (words == MAP_FAILED) {
        close(file);
        return nullptr;
    }
    return std::shared_ptr<SharedEvent>(new SharedEvent(file, static_cast<Words*>(words)));
}

std::shared_ptr<SharedEvent> SharedEvent::create() {
    const int file = memfd_create("musa-sim event", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, sizeof(Words)) != 0) {
        close(file);
        return nullptr;
    }
    return map(file);
}

std::shared_ptr<SharedEvent> SharedEvent::open(const SharedFile& file) { return map(open_shared(file)); }

SharedEvent::~SharedEvent() {
    munmap(words_, sizeof *words_);
    close(file_);
}

void SharedEvent::complete(std::uint64_t number) {
    std::uint64_t before = words_->completed;
    while (before < number && !words_->completed.compare_exchange_weak(before, number)) {
    }
}

}  // namespace musa_sim
