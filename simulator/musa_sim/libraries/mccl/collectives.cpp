#include "collectives.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <list>
#include <optional>
#include <sstream>
#include <utility>

#include "settings.h"

namespace mccl {
namespace {

using namespace std::chrono_literals;

// The interval at which a waiting rank checks that the others are still running.
constexpr auto look_interval = 50ms;
constexpr int looks_before_sleep = 20;
// Up to this many bytes, every rank computes the whole reduction, which saves a barrier.
constexpr std::size_t small_reduction = 4096;

const char* name_of_op(std::int32_t op) {
    switch (op) {
        case mcclSum: return "sum";
        case mcclProd: return "prod";
        case mcclMax: return "max";
        case mcclMin: return "min";
        case mcclAvg: return "avg";
        default: return "premulsum";
    }
}

bool reduces(OperationKind kind) {
    return kind == OperationKind::all_reduce || kind == OperationKind::reduce || kind == OperationKind::reduce_scatter;
}

bool has_root(OperationKind kind) { return kind == OperationKind::broadcast || kind == OperationKind::reduce; }

// The part of an operation that ranks compare.
std::string words(const Operation& operation) {
    std::ostringstream text;
    text << name_of(operation.kind);
    if (reduces(operation.kind)) text << " (" << name_of_op(operation.op) << ")";
    text << " of " << operation.count << " " << name_of(operation.type);
    if (has_root(operation.kind)) text << " with root " << operation.root;
    return text.str();
}

bool operator==(const Signature& a, const Signature& b) {
    return a.digest == b.digest && std::strcmp(a.text, b.text) == 0;
}

// "rank 2", "ranks 2 and 3", "ranks 0, 2 and 3"
std::string named(const std::vector<int>& ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
        text += std::to_string(ranks[i]);
    }
    return text;
}

char* at(void* memory, std::size_t offset) { return static_cast<char*>(memory) + offset; }
const char* at(const void* memory, std::size_t offset) { return static_cast<const char*>(memory) + offset; }

// For an operation in place, source and target are the same.
void copy(void* target, const void* source, std::size_t bytes) {
    if (target != source && bytes > 0) std::memcpy(target, source, bytes);
}

// Write as many bytes as the ring has room for.
std::size_t push(Ring& ring, const char* from, std::size_t bytes) {
    const std::uint64_t written = ring.written.load(std::memory_order_relaxed);
    const std::size_t room = ring_bytes - static_cast<std::size_t>(written - ring.read.load());
    const std::size_t moved = std::min(bytes, room);
    const std::size_t begin = written % ring_bytes;
    const std::size_t straight = std::min(moved, ring_bytes - begin);
    copy(ring.data + begin, from, straight);
    copy(ring.data, from + straight, moved - straight);
    ring.written.store(written + moved);
    return moved;
}

// Read as many bytes as the ring holds.
std::size_t pop(Ring& ring, char* to, std::size_t bytes) {
    const std::uint64_t read = ring.read.load(std::memory_order_relaxed);
    const std::size_t moved = std::min(bytes, static_cast<std::size_t>(ring.written.load() - read));
    const std::size_t begin = read % ring_bytes;
    const std::size_t straight = std::min(moved, ring_bytes - begin);
    copy(to, ring.data + begin, straight);
    copy(to + straight, ring.data, moved - straight);
    ring.read.store(read + moved);
    return moved;
}

}  // namespace

const char* name_of(OperationKind kind) {
    switch (kind) {
        case OperationKind::none: return "nothing";
        case OperationKind::all_reduce: return "AllReduce";
        case OperationKind::broadcast: return "Broadcast";
        case OperationKind::reduce: return "Reduce";
        case OperationKind::all_gather: return "AllGather";
        case OperationKind::reduce_scatter: return "ReduceScatter";
        case OperationKind::send: return "Send";
        case OperationKind::receive: return "Recv";
        case OperationKind::split: return "CommSplit";
    }
    return "nothing";
}

bool is_message(const Operation& operation) {
    return operation.kind == OperationKind::send || operation.kind == OperationKind::receive;
}

// Waiting

void Collectives::begin(OperationKind kind) {
    segment_.mine().last_kind = static_cast<std::int32_t>(kind);
    segment_.mine().calls.fetch_add(1);
}

// All ranks get the failure that was reported first.
void Collectives::fail(const Failure& failure) {
    segment_.tell_failure(failure);
    for (int i = 0; !segment_.has_failed() && i < 1000; ++i) sched_yield();
    throw segment_.has_failed() ? segment_.failure() : failure;
}

template <class Done, class Awaited>
void Collectives::wait(const Done& done, const Awaited& awaited, const Timeout& timeout) {
    const Clock::time_point since = Clock::now();
    Clock::time_point looked = since;
    for (;;) {
        for (int i = 0; i < looks_before_sleep; ++i) {
            if (done()) return;
            sched_yield();
        }
        const std::uint32_t bell = segment_.bell();
        if (done()) return;
        if (aborted_) throw Failure{mcclInvalidUsage, "the communicator was aborted"};
        if (segment_.has_failed()) throw segment_.failure();
        segment_.sleep(bell, look_interval);
        if (Clock::now() - looked < look_interval) continue;
        looked = Clock::now();
        bool somebody_ended = false;
        // A rank may have finished its part before its process ended: check the condition once more.
        try {
            check(awaited(), since, timeout, &somebody_ended);
        } catch (const Failure& failure) {
            if (somebody_ended && done()) return;
            fail(failure);
        }
    }
}

void Collectives::check(const std::vector<int>& awaited, Clock::time_point since, const Timeout& timeout,
                     bool* somebody_ended) {
    for (int rank : awaited) {
        std::string why;
        if (segment_.is_there(rank, &why)) continue;
        *somebody_ended = true;
        throw Failure{mcclRemoteError, why};
    }
    if (Clock::now() - since < timeout.length || awaited.empty()) return;
    const RankState& other = segment_.state(awaited.front());
    std::ostringstream text;
    text << "rank " << segment_.rank() << " has waited " << std::chrono::duration<double>(timeout.length).count()
         << " s (" << timeout.setting << ") for rank " << awaited.front();
    if (other.presence.load() == Presence::absent) {
        text << ", which has not joined";
    } else if (other.calls.load() == 0) {
        text << ", which has called nothing yet";
    } else {
        text << ", whose last call was " << name_of(static_cast<OperationKind>(other.last_kind.load())) << " (call "
             << other.calls.load() << "; this is call " << segment_.mine().calls.load() << ")";
    }
    throw Failure{mcclRemoteError, text.str()};
}

void Collectives::abort() {
    aborted_ = true;
    segment_.ring_bell();
}

std::vector<int> Collectives::late() const {
    std::vector<int> ranks;
    for (int rank = 0; rank < segment_.ranks(); ++rank) {
        if (segment_.state(rank).phase.load() < phase_) ranks.push_back(rank);
    }
    return ranks;
}

void Collectives::wait_for_all() {
    wait([this] { return late().empty(); }, [this] { return late(); }, timeout_);
}

void Collectives::check_device(int rank) {
    if (!segment_.share_device(rank, segment_.rank()) || may_share_devices()) return;
    fail({mcclInvalidUsage, named({std::min(rank, segment_.rank()), std::max(rank, segment_.rank())}) +
                                " are both on device " + segment_.mine().device +
                                "; give each rank its own (musaSetDevice, torch.musa.set_device, MUSA_SIM_DEVICES), or "
                                "set MUSA_SIM_MCCL_SHARE_DEVICES=1"});
}

void Collectives::barrier() {
    segment_.mine().phase.store(++phase_);
    segment_.ring_bell();
    wait_for_all();
}

// Collectives

void Collectives::sign(const std::string& text) {
    Signature& own = segment_.mine().signature[step_ % 2];
    own.digest = std::hash<std::string>{}(text);
    std::strncpy(own.text, text.c_str(), sizeof own.text - 1);
}

// Runs after the first barrier of a collective, before anything is written to the caller's memory.
void Collectives::compare() {
    std::map<std::string, std::vector<int>> ranks_that_called;
    bool same = true;
    for (int rank = 0; rank < segment_.ranks(); ++rank) {
        const Signature& other = segment_.state(rank).signature[step_ % 2];
        same = same && other == segment_.mine().signature[step_ % 2];
        ranks_that_called[other.text].push_back(rank);
    }
    if (same) {
        for (int rank = 0; rank < segment_.ranks(); ++rank) check_device(rank);
        return;
    }
    std::vector<std::string> stories;
    for (const auto& [text, ranks] : ranks_that_called) stories.push_back(named(ranks) + " called " + text);
    std::sort(stories.begin(), stories.end());
    std::string text = "the ranks differ";
    for (const std::string& story : stories) text += (&story == &stories.front() ? ": " : "; ") + story;
    fail({mcclInvalidUsage, text});
}

void Collectives::barrier_of(bool first) {
    barrier();
    if (first) compare();
}

void Collectives::publish(const Operation& operation, char* slot, const char* from, std::size_t count) {
    const Reduction& reduction = operation.reduction;
    if (!reduces(operation.kind) || !reduction.scaled) {
        copy(slot, from, count * size_of(operation.type));
        return;
    }
    Factor factor = reduction.factor;
    if (reduction.factor_at) std::memcpy(factor.bytes, reduction.factor_at, size_of(operation.type));
    scale(operation.type, slot, from, count, factor);
}

// Reduce the numbers that all ranks have at `offset` of their slots.
void Collectives::reduce(const Operation& operation, char* target, std::size_t offset, std::size_t count) {
    const auto part = [&](int rank) { return segment_.slot(rank, step_) + offset; };
    const Reduction& reduction = operation.reduction;
    if (segment_.ranks() == 1) {
        copy(target, part(0), count * size_of(operation.type));
    } else {
        combine(operation.type, reduction.combine, target, part(0), part(1), count);
        for (int rank = 2; rank < segment_.ranks(); ++rank)
            combine(operation.type, reduction.combine, target, target, part(rank), count);
    }
    if (reduction.divisor > 1) divide(operation.type, target, count, reduction.divisor);
}

void Collectives::step_of_all_reduce(const Operation& operation, std::size_t begin, std::size_t count, bool first) {
    const std::size_t size = size_of(operation.type);
    publish(operation, segment_.slot(segment_.rank(), step_), at(operation.send, begin * size), count);
    barrier_of(first);
    const bool wants_result = operation.kind == OperationKind::all_reduce || operation.root == segment_.rank();
    if (count * size <= small_reduction) {
        if (wants_result) reduce(operation, at(operation.receive, begin * size), 0, count);
        return;
    }
    // Each rank reduces a part.
    const auto ranks = static_cast<std::size_t>(segment_.ranks());
    const auto rank = static_cast<std::size_t>(segment_.rank());
    const std::size_t from = count * rank / ranks;
    const std::size_t to = count * (rank + 1) / ranks;
    reduce(operation, segment_.result(step_) + from * size, from * size, to - from);
    barrier();
    if (wants_result) copy(at(operation.receive, begin * size), segment_.result(step_), count * size);
}

void Collectives::step_of_broadcast(const Operation& operation, std::size_t begin, std::size_t count, bool first) {
    const std::size_t size = size_of(operation.type);
    const bool is_root = operation.root == segment_.rank();
    if (is_root) publish(operation, segment_.slot(operation.root, step_), at(operation.send, begin * size), count);
    barrier_of(first);
    const void* from = is_root ? at(operation.send, begin * size) : segment_.slot(operation.root, step_);
    copy(at(operation.receive, begin * size), from, count * size);
}

void Collectives::step_of_all_gather(const Operation& operation, std::size_t begin, std::size_t count, bool first) {
    const std::size_t size = size_of(operation.type);
    publish(operation, segment_.slot(segment_.rank(), step_), at(operation.send, begin * size), count);
    barrier_of(first);
    for (int rank = 0; rank < segment_.ranks(); ++rank) {
        const std::size_t target = static_cast<std::size_t>(rank) * operation.count + begin;
        copy(at(operation.receive, target * size), segment_.slot(rank, step_), count * size);
    }
}

// A slot holds a part for each rank.
void Collectives::step_of_reduce_scatter(const Operation& operation, std::size_t begin, std::size_t count, bool first) {
    const std::size_t size = size_of(operation.type);
    char* slot = segment_.slot(segment_.rank(), step_);
    for (int rank = 0; rank < segment_.ranks(); ++rank) {
        const auto part = static_cast<std::size_t>(rank);
        publish(operation, slot + part * count * size, at(operation.send, (part * operation.count + begin) * size),
                count);
    }
    barrier_of(first);
    const std::size_t own = static_cast<std::size_t>(segment_.rank()) * count * size;
    reduce(operation, at(operation.receive, begin * size), own, count);
}

// Run at least one step, even for an empty collective, so that ranks compare their calls. A slot is reused two steps
// later: by then every rank has passed the barrier of the step between, and so has read the slot.
void Collectives::collective(const Operation& operation, const std::string& text) {
    begin(operation.kind);
    std::size_t most = slot_bytes / size_of(operation.type);
    if (operation.kind == OperationKind::reduce_scatter) most /= static_cast<std::size_t>(segment_.ranks());
    std::size_t done = 0;
    do {
        const bool first = done == 0;
        const std::size_t count = std::min(most, operation.count - done);
        if (first) sign(text);
        switch (operation.kind) {
            case OperationKind::broadcast: step_of_broadcast(operation, done, count, first); break;
            case OperationKind::all_gather: step_of_all_gather(operation, done, count, first); break;
            case OperationKind::reduce_scatter: step_of_reduce_scatter(operation, done, count, first); break;
            default: step_of_all_reduce(operation, done, count, first);
        }
        ++step_;
        done += count;
    } while (done < operation.count);
}

std::vector<std::string> Collectives::gather(const std::string& mine, OperationKind kind) {
    begin(kind);
    sign(name_of(kind));
    copy(segment_.slot(segment_.rank(), step_), mine.data(), mine.size());
    barrier_of(true);
    std::vector<std::string> all;
    for (int rank = 0; rank < segment_.ranks(); ++rank)
        all.emplace_back(segment_.slot(rank, step_), mine.size());
    ++step_;
    return all;
}

// Messages

// A message begins with its length. A `confirmed` message completes when the receiver has accepted the length.
class Collectives::Message {
public:
    Message(const Operation& operation, const Segment& segment, bool confirmed)
        : operation_(operation),
          sends_(operation.kind == OperationKind::send),
          confirmed_(confirmed),
          ring_(sends_ ? segment.ring(segment.rank(), peer(), operation.of_collective)
                       : segment.ring(peer(), segment.rank(), operation.of_collective)),
          // a receiver writes the memory, a sender only reads it
          data_(sends_ ? static_cast<char*>(const_cast<void*>(operation.send))
                       : static_cast<char*>(operation.receive)),
          bytes_(operation.count * size_of(operation.type)),
          length_(sends_ ? bytes_ : 0) {}

    const Operation& operation() const { return operation_; }
    int peer() const { return operation_.root; }
    std::uint64_t bytes() const { return bytes_; }
    bool done() const {
        if (length_done_ < sizeof length_ || done_ < bytes_) return false;
        return !sends_ || !confirmed_ || ring_.accepted.load() >= number_;
    }
    // Return the number of bytes that the sender sends, once the receiver has read it.
    std::optional<std::uint64_t> received_length() const {
        if (sends_ || length_done_ < sizeof length_) return std::nullopt;
        return length_;
    }

    // Return whether any bytes moved.
    bool move() {
        std::size_t moved = 0;
        if (length_done_ < sizeof length_) {
            if (sends_ && number_ == 0) number_ = ++ring_.begun;
            moved = transfer(reinterpret_cast<char*>(&length_) + length_done_, sizeof length_ - length_done_);
            length_done_ += moved;
            if (length_done_ < sizeof length_ || length_ != bytes_) return moved > 0;
            if (!sends_) ring_.accepted.fetch_add(1);
        }
        const std::size_t of_data = transfer(data_ + done_, bytes_ - done_);
        done_ += of_data;
        return moved + of_data > 0;
    }

private:
    std::size_t transfer(char* bytes, std::size_t count) {
        return sends_ ? push(ring_, bytes, count) : pop(ring_, bytes, count);
    }

    const Operation& operation_;
    const bool sends_;
    const bool confirmed_;
    Ring& ring_;
    char* const data_;
    const std::size_t bytes_;
    std::uint64_t length_;
    std::uint64_t number_ = 0;
    std::size_t length_done_ = 0;
    std::size_t done_ = 0;
};

void Collectives::line_up(const Operations& operations) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const Operation& operation : operations) {
        if (is_message(operation)) lines_[way_of(operation)].push_back(&operation);
    }
}

void Collectives::take_out(const Operation& operation) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_message(operation)) return;
    std::deque<const Operation*>& line = lines_[way_of(operation)];
    line.erase(std::remove(line.begin(), line.end(), &operation), line.end());
}

bool Collectives::is_next(const Operation& message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lines_[way_of(message)].front() == &message;
}

void Collectives::check_length(const Message& message) {
    const std::optional<std::uint64_t> sent = message.received_length();
    if (!sent) return;
    check_device(message.peer());
    if (*sent == message.bytes()) return;
    fail({mcclInvalidUsage, "the ranks differ: rank " + std::to_string(message.peer()) + " sends " +
                                std::to_string(*sent) + " bytes to rank " + std::to_string(segment_.rank()) +
                                ", which receives " + std::to_string(message.bytes())});
}

// Messages between two ranks in one direction follow each other; all others run at the same time.
void Collectives::messages(const std::vector<const Operation*>& operations, const Call& call) {
    std::list<Message> open;
    for (const Operation* operation : operations) {
        begin(operation->kind);
        open.emplace_back(*operation, segment_, !call.name.empty());
    }
    const auto move = [&] {
        bool moved = false;
        for (auto message = open.begin(); message != open.end();) {
            const Operation& operation = message->operation();
            if (!is_next(operation)) {
                ++message;
                continue;
            }
            moved = message->move() || moved;
            check_length(*message);
            if (message->done()) {
                message = open.erase(message);
                take_out(operation);
                moved = true;
            } else {
                ++message;
            }
        }
        if (moved) segment_.ring_bell();
        return moved;
    };
    const auto awaited = [&] {
        std::vector<int> ranks;
        for (const Message& message : open) {
            if (message.peer() != segment_.rank()) ranks.push_back(message.peer());
        }
        return ranks.empty() ? std::vector<int>{segment_.rank()} : ranks;
    };
    while (!open.empty()) wait([&] { return move() || open.empty(); }, awaited, call.timeout);
}

void Collectives::run(const Operations& operations, const Call& call) {
    if (aborted_) throw Failure{mcclInvalidUsage, "the communicator was aborted"};
    if (segment_.has_failed()) throw segment_.failure();
    std::vector<const Operation*> those_with_messages;
    std::string name = call.collective ? call.name : "";
    for (const Operation& operation : operations) {
        if (is_message(operation)) {
            those_with_messages.push_back(&operation);
            continue;
        }
        timeout_ = call.timeout;
        collective(operation, name.empty() ? words(operation) : std::exchange(name, ""));
    }
    if (those_with_messages.empty()) return;
    if (!name.empty()) {
        timeout_ = call.timeout;
        begin(those_with_messages.front()->kind);
        sign(name);
        barrier_of(true);
        ++step_;
    }
    messages(those_with_messages, call);
    // Report a failure between two ranks to all ranks.
    if (call.collective) barrier();
}

}  // namespace mccl
