// The common work of ranks: collectives in steps of one slot of shared memory, and messages through rings.
//
// These functions wait for other ranks. They throw Failure when a rank has ended or left, when ranks call different things,
// and after the timeout.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "reductions.h"
#include "segment.h"
#include "settings.h"

namespace mccl {

enum class OperationKind : std::int32_t {
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
const char* name_of(OperationKind kind);

struct Operation {
    OperationKind kind = OperationKind::none;
    const void* send = nullptr;
    void* receive = nullptr;
    std::size_t count = 0;  // as the caller gave it
    mcclDataType_t type = mcclInt8;
    std::int32_t op = mcclSum;  // the value that all ranks have to pass
    Reduction reduction{};
    int root = 0;  // of a message: the other rank
    musaStream_t stream = nullptr;
    bool of_collective = false;  // a message that is part of a collective (Call)
};

using Operations = std::vector<Operation>;

bool is_message(const Operation& operation);

// The options of operations that a caller submits together.
struct Call {
    Timeout timeout;
    // If it is not empty, a message is sent when its receiver has accepted its length: both sides report lengths that
    // differ.
    std::string name;
    // All ranks compare the names, before anything moves.
    bool collective = false;
};

class Collectives {
public:
    Collectives(Segment& segment, Timeout joining) : segment_(segment), timeout_(joining) {}

    // Wait until all ranks have joined.
    void wait_for_all();
    // Fail if two ranks use one device, unless the settings allow it.
    void check_device(int rank);
    // The operations of a group: the collectives in their order, then all messages at the same time. On the
    // communicator's thread, but for messages of a call that is not collective: on any.
    void run(const Operations& operations, const Call& call);
    // Return every rank's bytes in the order of ranks; at most a slot each.
    std::vector<std::string> gather(const std::string& mine, OperationKind kind);

    // Messages between two ranks in one direction move in the order of these calls. The operations stay where they are
    // until they have run or are taken out again.
    void line_up(const Operations& operations);
    void take_out(const Operation& operation);

    // End all waits; callable on any thread.
    void abort();

private:
    class Message;
    using Clock = std::chrono::steady_clock;
    using Way = std::tuple<bool, bool, int>;  // whether for a collective, whether this rank sends, and the other rank

    static Way way_of(const Operation& message) {
        return {message.of_collective, message.kind == OperationKind::send, message.root};
    }
    void begin(OperationKind kind);
    template <class Done, class Awaited>
    void wait(const Done& done, const Awaited& awaited, const Timeout& timeout);
    void check(const std::vector<int>& awaited, Clock::time_point since, const Timeout& timeout, bool* somebody_ended);
    [[noreturn]] void fail(const Failure& failure);
    std::vector<int> late() const;

    void barrier();
    void sign(const std::string& text);
    void compare();
    void barrier_of(bool first);
    void collective(const Operation& operation, const std::string& text);
    void publish(const Operation& operation, char* slot, const char* from, std::size_t count);
    void reduce(const Operation& operation, char* target, std::size_t offset, std::size_t count);
    void step_of_all_reduce(const Operation& operation, std::size_t at, std::size_t count, bool first);
    void step_of_broadcast(const Operation& operation, std::size_t at, std::size_t count, bool first);
    void step_of_all_gather(const Operation& operation, std::size_t at, std::size_t count, bool first);
    void step_of_reduce_scatter(const Operation& operation, std::size_t at, std::size_t count, bool first);
    void messages(const std::vector<const Operation*>& operations, const Call& call);
    bool is_next(const Operation& message);
    void check_length(const Message& message);

    Segment& segment_;
    Timeout timeout_;  // of the collective that is running
    std::atomic<bool> aborted_{false};
    std::uint64_t phase_ = 1;  // the number of barriers that this rank has passed, of which joining is the first
    std::uint64_t step_ = 0;

    std::mutex mutex_;  // guards the members below
    std::map<Way, std::deque<const Operation*>> lines_;
};

}  // namespace mccl
