// An event of several processes: two counters in memory that all of them map.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "memory/file_backing.h"

namespace musa_sim {

class SharedEvent {
public:
    // nullptr if the system has no more memory for it.
    static std::shared_ptr<SharedEvent> create();
    // That of another process; nullptr if it is gone.
    static std::shared_ptr<SharedEvent> open(const SharedFile& file);
    ~SharedEvent();
    SharedEvent(const SharedEvent&) = delete;
    SharedEvent& operator=(const SharedEvent&) = delete;

    SharedFile file() const { return shared_file(file_); }
    // The number of a new recording.
    std::uint64_t record() { return ++words_->recorded; }
    // It and all before it are complete.
    void complete(std::uint64_t number);
    // That of the last recording; 0 if there was none.
    std::uint64_t last() const { return words_->recorded; }
    bool is_complete(std::uint64_t number) const { return words_->completed >= number; }

private:
    struct Words {
        std::atomic<std::uint64_t> recorded, completed;
    };

    SharedEvent(int file, Words* words) : file_(file), words_(words) {}
    static std::shared_ptr<SharedEvent> map(int file);

    int file_;
    Words* words_;
};

}  // namespace musa_sim
