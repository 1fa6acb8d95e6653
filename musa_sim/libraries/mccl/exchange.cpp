#include "exchange.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <sstream>

namespace mccl {
namespace {

using namespace std::chrono_literals;

// How often a rank that waits looks whether the others are still there.
constexpr auto look_interval = 50ms;
constexpr int looks_before_sleep = 20;
// Up to so many bytes every rank computes the whole reduction, which saves a barrier.
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

bool reduces(Kind kind) {
    return kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::reduce_scatter;
}

bool has_root(Kind kind) { return kind == Kind::broadcast || kind == Kind::reduce; }

std::string words(const Signature& signature) {
    const Kind kind = static_cast<Kind>(signature.kind);
    std::ostringstream text;
    text << name_of(kind);
    if (kind == Kind::split) return text.str();
    if (reduces(kind)) text << " (" << name_of_op(signature.op) << ")";
    text << " of " << signature.count << " " << name_of(static_cast<mcclDataType_t>(signature.type));
    if (has_root(kind)) text << " with root " << signature.root;
    return text.str();
}

bool operator==(const Signature& a, const Signature& b) {
    return a.kind == b.kind && a.type == b.type && a.op == b.op && a.root == b.root && a.count == b.count;
}

Signature signature_of(const Operation& operation) {
    const bool has_op = reduces(operation.kind);
    return {static_cast<std::int32_t>(operation.kind), operation.type, has_op ? operation.op : 0,
            has_root(operation.kind) ? operation.root : 0, operation.count};
}

char* at(void* memory, std::size_t offset) { return static_cast<char*>(memory) + offset; }
const char* at(const void* memory, std::size_t offset) { return static_cast<const char*>(memory) + offset; }

// Source and target of an operation in place are the same.
void copy(void* target, const void* source, std::size_t bytes) {
    if (target != source && bytes > 0) std::memcpy(target, source, bytes);
}

bool is_message(const Operation& operation) {
    return operation.kind == Kind::send || operation.kind == Kind::receive;
}

// Moves as many bytes as there is room for.
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

// Moves as many bytes as are there.
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

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::none: return "nothing";
        case Kind::all_reduce: return "AllReduce";
        case Kind::broadcast: return "Broadcast";
        case Kind::reduce: return "Reduce";
        case Kind::all_gather: return "AllGather";
        case Kind::reduce_scatter: return "ReduceScatter";
        case Kind::send: return "Send";
        case Kind::receive: return "Recv";
        case Kind::split: return "CommSplit";
    }
    return "nothing";
}

// Waiting

void Exchange::begin(Kind kind) {
    segment_.mine().last_kind = static_cast<std::int32_t>(kind);
    segment_.mine().calls.fetch_add(1);
}

// All ranks get the failure that was told first.
void Exchange::fail(const Failure& failure) {
    segment_.tell_failure(failure);
    for (int i = 0; !segment_.has_failed() && i < 1000; ++i) sched_yield();
    throw segment_.has_failed() ? segment_.failure() : failure;
}

template <class Done, class Awaited>
void Exchange::wait(const Done& done, const Awaited& awaited) {
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
        // What a rank did before it ended counts: one more look.
        try {
            check(awaited(), since, &somebody_ended);
        } catch (const Failure& failure) {
            if (somebody_ended && done()) return;
            fail(failure);
        }
    }
}

void Exchange::check(const std::vector<int>& awaited, Clock::time_point since, bool* somebody_ended) {
    for (int rank : awaited) {
        std::string why;
        if (segment_.is_there(rank, &why)) continue;
        *somebody_ended = true;
        throw Failure{mcclRemoteError, why};
    }
    if (Clock::now() - since < timeout_ || awaited.empty()) return;
    const RankState& other = segment_.state(awaited.front());
    std::ostringstream text;
    text << "rank " << segment_.rank() << " has waited " << std::chrono::duration<double>(timeout_).count()
         << " s (MUSA_SIM_MCCL_TIMEOUT) for rank " << awaited.front();
    if (other.presence.load() == Presence::absent) {
        text << ", which has not joined";
    } else if (other.calls.load() == 0) {
        text << ", which has called nothing yet";
    } else {
        text << ", whose last call was " << name_of(static_cast<Kind>(other.last_kind.load())) << " (call "
             << other.calls.load() << "; this is call " << segment_.mine().calls.load() << ")";
    }
    throw Failure{mcclRemoteError, text.str()};
}

void Exchange::abort() {
    aborted_ = true;
    segment_.ring_bell();
}

std::vector<int> Exchange::late() const {
    std::vector<int> ranks;
    for (int rank = 0; rank < segment_.ranks(); ++rank) {
        if (segment_.state(rank).phase.load() < phase_) ranks.push_back(rank);
    }
    return ranks;
}

void Exchange::wait_for_all() {
    wait([this] { return late().empty(); }, [this] { return late(); });
}

void Exchange::barrier() {
    segment_.mine().phase.store(++phase_);
    segment_.ring_bell();
    wait_for_all();
}

// Collectives

void Exchange::sign(const Operation& operation) { segment_.mine().signature[step_ % 2] = signature_of(operation); }

// The first barrier of a collective: nothing of the caller's was written before it.
void Exchange::barrier_and_compare(const Operation& operation) {
    barrier();
    const Signature own = signature_of(operation);
    for (int rank = 0; rank < segment_.ranks(); ++rank) {
        const Signature& other = segment_.state(rank).signature[step_ % 2];
        if (other == own) continue;
        const int low = std::min(rank, segment_.rank());
        const int high = std::max(rank, segment_.rank());
        std::ostringstream text;
        text << "the ranks differ: rank " << low << " called " << words(segment_.state(low).signature[step_ % 2])
             << "; rank " << high << " called " << words(segment_.state(high).signature[step_ % 2]);
        fail({mcclInvalidUsage, text.str()});
    }
}

void Exchange::publish(const Operation& operation, char* slot, const char* from, std::size_t count) {
    const Reduction& reduction = operation.reduction;
    if (!reduces(operation.kind) || !reduction.scaled) {
        copy(slot, from, count * size_of(operation.type));
        return;
    }
    Factor factor = reduction.factor;
    if (reduction.factor_at) std::memcpy(factor.bytes, reduction.factor_at, size_of(operation.type));
    scale(operation.type, slot, from, count, factor);
}

// From what all ranks have at `offset` of their slots.
void Exchange::reduce(const Operation& operation, char* target, std::size_t offset, std::size_t count) {
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

void Exchange::step_of_all_reduce(const Operation& operation, std::size_t begin, std::size_t count, bool first) {
    const std::size_t size = size_of(operation.type);
    publish(operation, segment_.slot(segment_.rank(), step_), at(operation.send, begin * size), count);
    first ? barrier_and_compare(operation) : barrier();
    const bool wants_result = operation.kind == Kind::all_reduce || operation.root == segment_.rank();
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

void Exchange::step_of_broadcast(const Operation& operation, std::size_t begin, std::size_t count, bool first) {
    const std::size_t size = size_of(operation.type);
    const bool is_root = operation.root == segment_.rank();
    if (is_root) publish(operation, segment_.slot(operation.root, step_), at(operation.send, begin * size), count);
    first ? barrier_and_compare(operation) : barrier();
    const void* from = is_root ? at(operation.send, begin * size) : segment_.slot(operation.root, step_);
    copy(at(operation.receive, begin * size), from, count * size);
}

void Exchange::step_of_all_gather(const Operation& operation, std::size_t begin, std::size_t count, bool first) {
    const std::size_t size = size_of(operation.type);
    publish(operation, segment_.slot(segment_.rank(), step_), at(operation.send, begin * size), count);
    first ? barrier_and_compare(operation) : barrier();
    for (int rank = 0; rank < segment_.ranks(); ++rank) {
        const std::size_t target = static_cast<std::size_t>(rank) * operation.count + begin;
        copy(at(operation.receive, target * size), segment_.slot(rank, step_), count * size);
    }
}

// A slot holds a part for each rank.
void Exchange::step_of_reduce_scatter(const Operation& operation, std::size_t begin, std::size_t count, bool first) {
    const std::size_t size = size_of(operation.type);
    char* slot = segment_.slot(segment_.rank(), step_);
    for (int rank = 0; rank < segment_.ranks(); ++rank) {
        const auto part = static_cast<std::size_t>(rank);
        publish(operation, slot + part * count * size, at(operation.send, (part * operation.count + begin) * size),
                count);
    }
    first ? barrier_and_compare(operation) : barrier();
    const std::size_t own = static_cast<std::size_t>(segment_.rank()) * count * size;
    reduce(operation, at(operation.receive, begin * size), own, count);
}

// At least one step, so that ranks compare what they call even if it is nothing. A slot is written again two steps
// later: then every rank has come to the barrier of the step between, and so has read it.
void Exchange::collective(const Operation& operation) {
    begin(operation.kind);
    std::size_t most = slot_bytes / size_of(operation.type);
    if (operation.kind == Kind::reduce_scatter) most /= static_cast<std::size_t>(segment_.ranks());
    std::size_t done = 0;
    do {
        const bool first = done == 0;
        const std::size_t count = std::min(most, operation.count - done);
        if (first) sign(operation);
        switch (operation.kind) {
            case Kind::broadcast: step_of_broadcast(operation, done, count, first); break;
            case Kind::all_gather: step_of_all_gather(operation, done, count, first); break;
            case Kind::reduce_scatter: step_of_reduce_scatter(operation, done, count, first); break;
            default: step_of_all_reduce(operation, done, count, first);
        }
        ++step_;
        done += count;
    } while (done < operation.count);
}

std::vector<std::string> Exchange::gather(const std::string& mine, Kind kind) {
    Operation operation;
    operation.kind = kind;
    operation.count = mine.size();
    begin(kind);
    sign(operation);
    copy(segment_.slot(segment_.rank(), step_), mine.data(), mine.size());
    barrier_and_compare(operation);
    std::vector<std::string> all;
    for (int rank = 0; rank < segment_.ranks(); ++rank)
        all.emplace_back(segment_.slot(rank, step_), mine.size());
    ++step_;
    return all;
}

// Messages

// A message says its length first.
class Exchange::Message {
public:
    Message(const Operation& operation, const Segment& segment)
        : sends_(operation.kind == Kind::send),
          peer_(operation.root),
          ring_(sends_ ? segment.ring(segment.rank(), peer_) : segment.ring(peer_, segment.rank())),
          // what is received is written, what is sent is only read
          data_(sends_ ? static_cast<char*>(const_cast<void*>(operation.send))
                       : static_cast<char*>(operation.receive)),
          bytes_(operation.count * size_of(operation.type)),
          length_(sends_ ? bytes_ : 0) {}

    bool done() const { return length_done_ == sizeof length_ && done_ == bytes_; }
    int peer() const { return peer_; }
    bool sends() const { return sends_; }
    // The bytes that the sender sends, once they are known to be others than are expected.
    std::optional<std::uint64_t> other_length() const {
        if (sends_ || length_done_ < sizeof length_ || length_ == bytes_) return std::nullopt;
        return length_;
    }
    std::uint64_t bytes() const { return bytes_; }

    // Whether anything moved.
    bool move() {
        std::size_t moved = 0;
        if (length_done_ < sizeof length_) {
            moved = transfer(reinterpret_cast<char*>(&length_) + length_done_, sizeof length_ - length_done_);
            length_done_ += moved;
        }
        if (length_done_ < sizeof length_ || length_differs()) return moved > 0;
        const std::size_t of_data = transfer(data_ + done_, bytes_ - done_);
        done_ += of_data;
        return moved + of_data > 0;
    }

private:
    bool length_differs() const { return length_ != bytes_; }
    std::size_t transfer(char* bytes, std::size_t count) {
        return sends_ ? push(ring_, bytes, count) : pop(ring_, bytes, count);
    }

    const bool sends_;
    const int peer_;
    Ring& ring_;
    char* const data_;
    const std::size_t bytes_;
    std::uint64_t length_;
    std::size_t length_done_ = 0;
    std::size_t done_ = 0;
};

// Messages between two ranks in one direction are one after the other, all others go on at the same time.
void Exchange::messages(const std::vector<Operation>& operations) {
    std::map<std::pair<bool, int>, std::deque<Message>> ways;
    for (const Operation& operation : operations) {
        begin(operation.kind);
        ways[{operation.kind == Kind::send, operation.root}].emplace_back(operation, segment_);
    }
    const auto move = [&] {
        bool moved = false;
        for (auto& [way, queue] : ways) {
            while (!queue.empty()) {
                Message& next = queue.front();
                moved = next.move() || moved;
                if (const auto sent = next.other_length()) {
                    fail({mcclInvalidUsage, "the ranks differ: rank " + std::to_string(next.peer()) + " sends " +
                                                std::to_string(*sent) + " bytes to rank " +
                                                std::to_string(segment_.rank()) + ", which receives " +
                                                std::to_string(next.bytes())});
                }
                if (!next.done()) break;
                queue.pop_front();
            }
        }
        if (moved) segment_.ring_bell();
        return moved;
    };
    const auto all_done = [&] {
        return std::all_of(ways.begin(), ways.end(), [](const auto& way) { return way.second.empty(); });
    };
    const auto awaited = [&] {
        std::vector<int> ranks;
        for (const auto& [way, queue] : ways) {
            if (!queue.empty() && way.second != segment_.rank()) ranks.push_back(way.second);
        }
        return ranks.empty() ? std::vector<int>{segment_.rank()} : ranks;
    };
    while (!all_done()) wait([&] { return move() || all_done(); }, awaited);
}

void Exchange::run(const std::vector<Operation>& operations) {
    if (aborted_) throw Failure{mcclInvalidUsage, "the communicator was aborted"};
    if (segment_.has_failed()) throw segment_.failure();
    std::vector<Operation> those_with_messages;
    for (const Operation& operation : operations) {
        if (is_message(operation)) {
            those_with_messages.push_back(operation);
        } else {
            collective(operation);
        }
    }
    if (!those_with_messages.empty()) messages(those_with_messages);
}

}  // namespace mccl
