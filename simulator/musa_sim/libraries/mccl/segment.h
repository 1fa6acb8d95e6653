// The memory that the ranks of a communicator share, and the state of each rank. It is a file without a name (memfd),
// so nothing is left in /dev/shm, however processes end. The process that makes the unique id creates the file; the
// others open it through that process's entry in /proc. A rank holds a lock of the file, which the system releases when
// its process ends, so that the others notice.
#pragma once

#include <mccl.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "failure.h"

namespace mccl {

constexpr int most_ranks = 64;
constexpr std::size_t slot_bytes = 256 * 1024;
constexpr std::size_t ring_bytes = 64 * 1024;

using Key = std::array<unsigned char, 16>;

// The content of an mcclUniqueId.
struct UniqueId {
    char magic[8];
    Key key;
    pid_t process;
    int file;
    std::uint64_t machine;  // the same where processes see each other by their ids
    char host[48];          // its name, for people
};

// Create the memory of a new communicator.
UniqueId make_unique_id();

// The operation that all ranks have to call: its first bytes, and a digest of all of it.
struct Signature {
    std::uint64_t digest;
    char text[248];
};

enum class Presence : std::uint32_t { absent, present, left, aborted };

struct alignas(64) RankState {
    std::atomic<Presence> presence;
    std::atomic<pid_t> process;
    std::atomic<bool> has_device;  // false: it has not used any yet
    char device[32];
    std::atomic<std::uint64_t> phase;  // the number of barriers that it has passed
    std::atomic<std::uint64_t> calls;  // its latest calls, for messages
    std::atomic<std::int32_t> last_kind;
    Signature signature[2];
};

// The bytes on their way from one rank to another.
struct Ring {
    alignas(64) std::atomic<std::uint64_t> written;
    std::uint64_t begun;  // messages; the sender alone uses it
    alignas(64) std::atomic<std::uint64_t> read;
    std::atomic<std::uint64_t> accepted;  // messages whose length the receiver expects
    char data[ring_bytes];
};

class MemoryFile;
struct Shared;

// One rank's view. All functions are callable on any thread.
class Segment {
public:
    // Join; do not wait for the others.
    Segment(const UniqueId& id, int ranks, int rank);
    ~Segment();
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

    int ranks() const { return ranks_; }
    int rank() const { return rank_; }
    RankState& state(int rank) const;
    RankState& mine() const { return state(rank_); }
    // Record the device that this rank uses, by a name that is unique on the machine. The first call counts.
    void use_device(const std::string& device) const;
    // Return whether both ranks are known to use one device.
    bool share_device(int rank, int other) const;

    // Return the slot of a step: each rank has two, which steps use in turn.
    char* slot(int rank, std::uint64_t step) const;
    char* result(std::uint64_t step) const;
    // Return the ring of collectives or of single messages: ranks may call these in different orders.
    Ring& ring(int from, int to, bool collective) const;

    // Wake all ranks that wait, so that they check their condition.
    void ring_bell() const;
    std::uint32_t bell() const;
    // Wait until the bell rings after it was `seen`, at most `longest`.
    void sleep(std::uint32_t seen, std::chrono::milliseconds longest) const;

    // Return whether a rank that joined can still do its part; `why` explains a no.
    bool is_there(int rank, std::string* why) const;
    void leave(Presence how) const;

    // Report a failure to all ranks; the first one counts.
    void tell_failure(const Failure& failure) const;
    bool has_failed() const;
    Failure failure() const;

private:
    void join();

    const int ranks_;
    const int rank_;
    std::shared_ptr<MemoryFile> file_;
    char* memory_ = nullptr;
    std::size_t size_ = 0;
    Shared* shared_ = nullptr;
};

}  // namespace mccl
