// What ranks do together: collectives in steps of one slot of shared memory, and messages through rings.
//
// All functions run on the communicator's thread and wait for other ranks. They throw Failure when a rank has ended or
// left, when ranks call different things, and after the timeout.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "numbers.h"
#include "segment.h"

namespace mccl {

enum class Kind : std::int32_t {
    none,
    all_reduce,
    broadcast,
    reduce,
    all_gather,
    reduce_scatter,
    send,
    receive,
    split,
};
const char* name_of(Kind kind);

struct Operation {
    Kind kind = Kind::none;
    const void* send = nullptr;
    void* receive = nullptr;
    std::size_t count = 0;  // as the caller gave it
    mcclDataType_t type = mcclInt8;
    std::int32_t op = mcclSum;  // as all ranks have to give it
    Reduction reduction{};
    int root = 0;  // or the other rank of a message
    musaStream_t stream = nullptr;
};

class Exchange {
public:
    Exchange(Segment& segment, std::chrono::milliseconds timeout) : segment_(segment), timeout_(timeout) {}

    // Returns when all ranks have joined.
    void wait_for_all();
    // The operations of a group: the collectives in their order, then all messages at the same time.
    void run(const std::vector<Operation>& operations);
    // Every rank's bytes, in the order of ranks; at most a slot.
    std::vector<std::string> gather(const std::string& mine, Kind kind);

    // Ends what waits, on any thread.
    void abort();

private:
    class Message;
    using Clock = std::chrono::steady_clock;

    void begin(Kind kind);
    template <class Done, class Awaited>
    void wait(const Done& done, const Awaited& awaited);
    void check(const std::vector<int>& awaited, Clock::time_point since, bool* somebody_ended);
    [[noreturn]] void fail(const Failure& failure);
    std::vector<int> late() const;

    void barrier();
    void barrier_and_compare(const Operation& operation);
    void sign(const Operation& operation);
    void collective(const Operation& operation);
    void publish(const Operation& operation, char* slot, const char* from, std::size_t count);
    void reduce(const Operation& operation, char* target, std::size_t offset, std::size_t count);
    void step_of_all_reduce(const Operation& operation, std::size_t at, std::size_t count, bool first);
    void step_of_broadcast(const Operation& operation, std::size_t at, std::size_t count, bool first);
    void step_of_all_gather(const Operation& operation, std::size_t at, std::size_t count, bool first);
    void step_of_reduce_scatter(const Operation& operation, std::size_t at, std::size_t count, bool first);
    void messages(const std::vector<Operation>& operations);

    Segment& segment_;
    const std::chrono::milliseconds timeout_;
    std::atomic<bool> aborted_{false};
    std::uint64_t phase_ = 1;  // barriers that this rank has come to; joining was the first
    std::uint64_t step_ = 0;
};

}  // namespace mccl
