// The memory that the ranks of a communicator share, and who of them is there.
//
// It is a file without a name (memfd): nothing is left in /dev/shm, whichever way processes end. The process that makes
// the unique id makes the file; the others open it through that process's entry in /proc. A rank holds a lock of the
// file, which the system releases when its process ends, so that the others notice.
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

// Makes the memory of a new communicator.
UniqueId make_unique_id();

// The operation that all ranks have to call alike: its beginning, and a digest of it all.
struct Signature {
    std::uint64_t digest;
    char text[248];
};

enum class Presence : std::uint32_t { absent, present, left, aborted };

struct alignas(64) RankState {
    std::atomic<Presence> presence;
    std::atomic<pid_t> process;
    std::atomic<bool> has_device;  // otherwise it has not yet used any
    char device[32];
    std::atomic<std::uint64_t> phase;  // the barriers that it has come to
    std::atomic<std::uint64_t> calls;  // and what it called last, for messages
    std::atomic<std::int32_t> last_kind;
    Signature signature[2];
};

// Bytes on their way from one rank to another.
struct Ring {
    alignas(64) std::atomic<std::uint64_t> written;
    std::uint64_t begun;  // messages; the sender alone uses it
    alignas(64) std::atomic<std::uint64_t> read;
    std::atomic<std::uint64_t> accepted;  // messages whose length is what the receiver expects
    char data[ring_bytes];
};

class MemoryFile;
struct Shared;

// One rank's view. All functions may be called on any thread.
class Segment {
public:
    // Joins; does not wait for the others.
    Segment(const UniqueId& id, int ranks, int rank);
    ~Segment();
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

    int ranks() const { return ranks_; }
    int rank() const { return rank_; }
    RankState& state(int rank) const;
    RankState& mine() const { return state(rank_); }
    // The device that this rank uses, by a name that no other device of the machine has. The first one counts.
    void use_device(const std::string& device) const;
    // Whether both ranks are known to use one device.
    bool share_device(int rank, int other) const;

    // Two of each: steps take turns.
    char* slot(int rank, std::uint64_t step) const;
    char* result(std::uint64_t step) const;
    // The rings of collectives and of single messages, which ranks may call in different orders.
    Ring& ring(int from, int to, bool collective) const;

    // Whoever waits has to look again.
    void ring_bell() const;
    std::uint32_t bell() const;
    // Returns when the bell has rung since it was `seen`, or after some time.
    void sleep(std::uint32_t seen, std::chrono::milliseconds longest) const;

    // Whether a rank that joined can still do its part; `why`: what happened to it.
    bool is_there(int rank, std::string* why) const;
    void leave(Presence how) const;

    // The first failure that a rank tells is everybody's.
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
