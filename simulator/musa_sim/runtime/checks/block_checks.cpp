#include "checks/block_checks.h"

#include <algorithm>

#include "base/active_checks.h"
#include "base/demangle.h"
#include "base/findings.h"
#include "blocks/scheduler.h"
#include "blocks/wording.h"
#include "checks/sync_checks.h"
#include "memory/device_ranges.h"
#include "memory/guarded_memory.h"
#include "memory/memory_table.h"
#include "memory/peer_access.h"
#include "memory/virtual_memory.h"

namespace musa_sim {
namespace {

// The alignment of guarded memory; stricter alignments are not checked.
constexpr std::size_t most_alignment = 16;
// An argument whose size mcc does not know is at least not larger than all arguments may be.
constexpr std::size_t most_argument_bytes = 4096;

std::string access_name(const AccessRequest& request) {
    const bool writes = (request.flags & access_write) != 0;
    const char* name = (request.flags & access_atomic) != 0 ? "atomic operation on "
                       : writes                             ? "write of "
                                                            : "read of ";
    return name + std::to_string(request.size) + (request.size == 1 ? " byte" : " bytes");
}

std::string name_of(const char* location) { return location ? location : "an unknown line"; }

Scheduler& scheduler() { return *Scheduler::active(); }

std::string who(const Launch& launch) {
    const auto& context = __musa_sim_context;
    return std::string("    kernel ") + launch.kernel_name + ", block " +
           index_text(context.block_idx) + ", thread " + index_text(context.thread_idx);
}

// "4 bytes before", "at byte 3 of", "just after the end of" something of that size.
std::string position_beside(std::ptrdiff_t offset, std::size_t bytes) {
    const auto size = static_cast<std::ptrdiff_t>(bytes);
    if (offset < 0) return std::to_string(-offset) + " bytes before";
    if (offset < size) return "at byte " + std::to_string(offset) + " of";
    if (offset == size) return "just after the end of";
    return std::to_string(offset - size) + " bytes after the end of";
}

}  // namespace

void BlockChecks::begin_launch(const LaunchMemory& memory) {
    checks_ = memory.shared_variables ? active_checks() : 0;
    known_generation_ = no_generation;  // another device may have other memory
    shared_.clear();
    shared_bytes_ = 0;
    arguments_.clear();
    if (!memory.shared_variables) return;
    memory.shared_variables(&add_shared, this);
    add_shared(this, __musa_sim_context.dynamic_shared, memory.dynamic_shared, nullptr);
    const long long count = memory.argument_sizes ? memory.argument_sizes[0] : 0;
    for (long long i = 0; i < count; ++i) {
        const long long size = memory.argument_sizes[i + 1];
        const char* begin = static_cast<const char*>(memory.arguments[i]);
        arguments_.push_back(
            {begin, begin + (size < 0 ? most_argument_bytes : static_cast<std::size_t>(size))});
    }
}

void BlockChecks::add_shared(void* self, void* address, std::uint64_t size, const char* name) {
    auto* checks = static_cast<BlockChecks*>(self);
    checks->shared_.push_back(
        {static_cast<const char*>(address), size, checks->shared_bytes_, name});
    checks->shared_bytes_ += size;
}

void BlockChecks::begin_block() {
    const Launch& launch = scheduler().launch();
    if (checks_ & check_race) {
        races_.begin_block(launch.threads_per_block(), scheduler().warp_width(), shared_bytes_);
        copies_.begin_block(launch.threads_per_block());
    }
    if (checks_ & check_init) {
        for (const SharedVariable& variable : shared_)
            fill_unwritten(const_cast<char*>(variable.begin), variable.size);
    }
}

// Without the race check, SharedRaces has no state for the block's threads.
void BlockChecks::block_barrier() {
    if (scheduler().watches_sync()) check_block_barrier(scheduler());
    if (checks_ & check_race) races_.block_barrier();
}

void BlockChecks::warp_group(const WarpGroup& group) {
    if (is_barrier(group.operation) && (checks_ & check_race)) {
        std::vector<std::uint32_t> ranks;
        for (const Thread* thread = group.waiting.front(); thread; thread = thread->next)
            ranks.push_back(thread->rank);
        races_.warp_barrier(ranks);
    }
    if (!scheduler().watches_sync() || group.operation == WarpOperation::converge) return;
    check_warp_group(scheduler(), group);
    if (group.operation == WarpOperation::shuffle) check_shuffle_sources(scheduler(), group);
}

void BlockChecks::grid_barrier(std::uint64_t arrived) {
    if (scheduler().watches_sync()) check_grid_barrier(scheduler(), arrived);
}

void BlockChecks::access(const AccessRequest& request) {
    settle_write();
    if (request.size == 0 || scheduler().is_on_current_stack(request.address)) return;
    const SharedVariable* shared = shared_at(request.address, request.size);
    if (!shared && !is_known(request)) {
        if (!(checks_ & check_memory)) return;
        if (GuardedMemory::instance().is_freed(request.address)) {
            refuse(request, musaErrorIllegalAddress, "freed memory", describe(request));
        }
        refuse(request, musaErrorIllegalAddress,
               reinterpret_cast<std::uintptr_t>(request.address) < 4096 ? "a null pointer"
                                                                        : "out of bounds",
               describe(request));
    }
    test_alignment(request);
    test_written(request);
    if ((checks_ & check_init) && (request.flags & access_write)) {
        written_ = request.address;
        written_size_ = request.size;
    }
    if (shared) test_race(request, *shared);
}

void BlockChecks::settle_write() {
    if (written_size_ != 0) note_written(written_, written_size_);
    written_size_ = 0;
}

void BlockChecks::end_block(bool completed) {
    if (completed) settle_write();
    written_size_ = 0;  // a write that failed left memory that must not be touched
}

void BlockChecks::local_access(const AccessRequest& request, const LocalVariable& variable) {
    const std::ptrdiff_t offset = request.address - variable.begin;
    const auto from = static_cast<std::size_t>(offset);
    const bool inside = offset >= 0 && from <= variable.size && request.size <= variable.size - from;
    if (!(checks_ & check_memory) || request.size == 0 || inside) return;
    // The byte behind the variable is the one that matters, if the access begins inside.
    const auto size = static_cast<std::ptrdiff_t>(variable.size);
    const std::ptrdiff_t at = offset < 0 ? offset : std::max(offset, size);
    const std::string name =
        variable.name ? "the local variable " + std::string(variable.name) : "a local variable";
    refuse(request, musaErrorIllegalAddress, "out of bounds",
           "    the address is " + position_beside(at, variable.size) + " " + name + " (" +
               std::to_string(variable.size) + " bytes)\n");
}

void BlockChecks::copy_started(const char* to, std::size_t bytes) {
    const SharedVariable* shared = checks_ & check_race ? shared_at(to, bytes) : nullptr;
    if (!shared) return;
    const std::uint32_t rank = scheduler().current().rank;
    const CopiedBytes copied{shared->offset + static_cast<std::size_t>(to - shared->begin), bytes};
    races_.begin_copy(rank, copied.offset, copied.size);
    copies_.start(rank, copied);
}

void BlockChecks::copies_committed() {
    if (checks_ & check_race) copies_.commit(scheduler().current().rank);
}

void BlockChecks::copies_awaited(std::size_t left) {
    if (!(checks_ & check_race)) return;
    const std::uint32_t rank = scheduler().current().rank;
    for (const CopiedBytes& copied : copies_.wait(rank, left))
        races_.end_copy(rank, copied.offset, copied.size);
}

void BlockChecks::released(const void* object, std::uint32_t rank) {
    if (checks_ & check_race) races_.release(rank, object);
}

void BlockChecks::acquired(const void* object, std::uint32_t rank) {
    if (checks_ & check_race) races_.acquire(rank, object);
}

// The bytes with which clang fills variables that are not initialised: those of floating point with ones.
void BlockChecks::operand(const char* registers, std::size_t bytes, bool is_floating) {
    if (!(checks_ & check_init)) return;
    const auto filled_with = [&](unsigned char byte) {
        return std::all_of(registers, registers + bytes,
                           [=](char each) { return static_cast<unsigned char>(each) == byte; });
    };
    if (!filled_with(0xaa) && !(is_floating && filled_with(0xff))) return;
    const char* location = __musa_sim_context.location;
    if (!Findings::instance().add("init", name_of(location))) return;
    Findings::instance().report(
        "init: a matrix instruction reads a fragment that nobody wrote, at " + name_of(location),
        who(scheduler().launch()) + "\n");
}

const BlockChecks::SharedVariable* BlockChecks::shared_at(const char* address,
                                                          std::size_t size) const {
    for (const SharedVariable& variable : shared_) {
        const auto offset = static_cast<std::size_t>(address - variable.begin);
        if (offset < variable.size && size <= variable.size - offset) return &variable;
    }
    return nullptr;
}

bool BlockChecks::is_known(const AccessRequest& request) {
    const char* begin = request.address;
    const char* end = begin + request.size;
    const std::uint64_t generation = MemoryTable::instance().generation();
    if (generation != known_generation_) {
        std::fill(known_, known_ + known_ranges, Range{});
        known_generation_ = generation;
    }
    for (const Range& range : known_) {
        if (begin >= range.begin && end <= range.end) return true;
    }
    for (const Range& range : arguments_) {
        if (begin >= range.begin && end <= range.end) return true;
    }
    Range found;
    Allocation allocation;
    if (MemoryTable::instance().find(begin, &allocation, &found.begin)) {
        found.end = found.begin + allocation.size;
        test_reach(request, allocation);
    } else if (!DeviceRanges::instance().find(begin, &found.begin, &found.end)) {
        return false;
    }
    if (end > found.end) return false;
    known_[next_known_++ % known_ranges] = found;
    return true;
}

void BlockChecks::test_reach(const AccessRequest& request, const Allocation& allocation) {
    const int device = scheduler().launch().device;
    if (!(checks_ & check_memory) ||
        !PeerAccess::instance().is_out_of_reach(device, allocation))
        return;
    refuse(request, musaErrorIllegalAddress, "memory of device " + std::to_string(allocation.device),
           "    " + missing_peer_access(device, allocation.device, allocation.pool) + "\n" + describe(request));
}

void BlockChecks::test_alignment(const AccessRequest& request) {
    const std::size_t align = std::min(request.align, most_alignment);
    const auto address = reinterpret_cast<std::uintptr_t>(request.address);
    if (!(checks_ & check_memory) || address % align == 0) return;
    refuse(request, musaErrorMisalignedAddress, "misaligned",
           "    the address ends in 0x" + std::string(1, "0123456789abcdef"[address % 16]) +
               "; such an access needs a multiple of " + std::to_string(align) + "\n" +
               describe(request));
}

void BlockChecks::test_written(const AccessRequest& request) {
    const bool reads = (request.flags & access_read) != 0 && (request.flags & access_carry) == 0;
    if (!(checks_ & check_init) || !reads) return;
    for (std::size_t at = 0; at + request.element <= request.size; at += request.element) {
        if (!is_unwritten(request.address + at, request.element)) continue;
        if (!Findings::instance().add("init", name_of(request.location))) return;
        AccessRequest part = request;
        part.address += at;
        Findings::instance().report(
            "init: " + access_name(request) + " that nobody wrote, at " + name_of(request.location),
            who(scheduler().launch()) + "\n" + describe(part));
        return;
    }
}

void BlockChecks::test_race(const AccessRequest& request, const SharedVariable& variable) {
    if (!(checks_ & check_race)) return;
    const bool writes = (request.flags & access_write) != 0;
    const auto inside = static_cast<std::size_t>(request.address - variable.begin);
    const auto race =
        races_.access(scheduler().current().rank, variable.offset + inside, request.size, writes,
                      (request.flags & access_atomic) != 0, request.location);
    if (!race) return;
    // The pair is one defect, in either order.
    const std::pair<std::string, std::string> locations =
        std::minmax(name_of(request.location), name_of(race->earlier.location));
    if (!Findings::instance().add("race", locations.first + " and " + locations.second)) return;
    const Thread& other = *scheduler().thread_at(race->earlier.rank);
    const char* const earlier = race->earlier.pending  ? "an asynchronous copy at "
                                : race->earlier_writes ? "a write at "
                                                       : "a read at ";
    Findings::instance().report("race: " + access_name(request) + " at " + name_of(request.location) +
                                  " and " + earlier + name_of(race->earlier.location) +
                                  (race->earlier.pending ? ", which its thread has not waited for"
                                                         : ", with no barrier between them"),
                              who(scheduler().launch()) + "; before it thread " +
                                  index_text(other.thread_idx) + "\n" + describe(request));
}

std::string BlockChecks::describe(const AccessRequest& request) const {
    const std::string shared = describe_shared(request.address);
    if (!shared.empty()) return shared;
    const std::string owner = scheduler().stack_owner(request.address);
    if (!owner.empty()) return "    the address is in the local memory of " + owner + "\n";
    // The byte behind the allocation is the one that matters, if the access begins inside.
    const char* address = request.address;
    Allocation allocation;
    const char* begin = nullptr;
    if (MemoryTable::instance().find(address, &allocation, &begin)) {
        const char* end = begin + allocation.size;
        if (address + request.size > end) address = end;
    }
    const std::string variable = DeviceRanges::instance().describe(address);
    if (!variable.empty()) return variable;
    const std::string guarded = GuardedMemory::instance().describe(address);
    if (!guarded.empty()) return guarded;
    const std::string reserved = VirtualMemory::instance().describe(address);
    if (!reserved.empty()) return reserved;
    char text[96];
    std::snprintf(text, sizeof text, "    the address is %p, which no memory of the device has\n",
                  static_cast<const void*>(request.address));
    return text;
}

std::string BlockChecks::describe_shared(const char* address) const {
    constexpr std::ptrdiff_t near = 4096;
    const SharedVariable* nearest = nullptr;
    std::ptrdiff_t least = near;
    for (const SharedVariable& variable : shared_) {
        const std::ptrdiff_t before = variable.begin - address;
        const std::ptrdiff_t after = address - (variable.begin + variable.size) + 1;
        const std::ptrdiff_t distance = std::max<std::ptrdiff_t>({before, after, 0});
        if (distance >= least) continue;
        least = distance;
        nearest = &variable;
    }
    if (!nearest) return "";
    const std::string where = position_beside(address - nearest->begin, nearest->size);
    const std::string name = nearest->name ? "the shared variable " + demangled(nearest->name)
                                           : "the launch's dynamic shared memory";
    return "    the address is " + where + " " + name + " (" + std::to_string(nearest->size) +
           " bytes)\n";
}

void BlockChecks::refuse(const AccessRequest& request, musaError_t code, const std::string& what,
                         const std::string& details) {
    Launch& launch = scheduler().launch();
    const bool first = launch.fail(code);
    if (Findings::instance().add("memory", name_of(request.location)) && first) {
        Findings::instance().report(
            "memory: " + access_name(request) + ", " + what + ", at " + name_of(request.location),
            who(launch) + "\n" + details);
    }
    scheduler().leave_block();
}

}  // namespace musa_sim

using musa_sim::BlockObserver;
using musa_sim::Scheduler;

namespace {

BlockObserver* active_observer() {
    Scheduler* scheduler = Scheduler::active();
    return scheduler ? scheduler->observer() : nullptr;
}

std::size_t power(std::uint32_t flags, unsigned bit) {
    return std::size_t{1} << (flags >> bit & 0xff);
}

}  // namespace

void __musa_sim_check_access(const void* address, std::uint64_t size, std::uint32_t flags,
                             const char* location) {
    BlockObserver* checks = active_observer();
    if (!checks) return;
    checks->access({static_cast<const char*>(address), size, power(flags, 8), power(flags, 16),
                    flags & 0xff, location});
}

void __musa_sim_check_local(const void* address, std::uint64_t size, std::uint32_t flags,
                            const char* location, const void* variable, std::uint64_t bytes,
                            const char* name) {
    BlockObserver* checks = active_observer();
    if (!checks) return;
    checks->local_access({static_cast<const char*>(address), size, power(flags, 8),
                          power(flags, 16), flags & 0xff, location},
                         {static_cast<const char*>(variable), bytes, name});
}

void __musa_sim_check_copy(const void* target, const void* source, std::uint64_t size,
                           std::uint32_t flags, const char* location) {
    BlockObserver* checks = active_observer();
    if (!checks) return;
    checks->access({static_cast<const char*>(source), size, 1, power(flags, 24),
                    musa_sim::access_read | musa_sim::access_carry, location});
    checks->access({static_cast<const char*>(target), size, 1, power(flags, 16),
                    musa_sim::access_write, location});
}

void __musa_sim_check_copy_started(const void* to, unsigned long long bytes) {
    if (BlockObserver* checks = active_observer())
        checks->copy_started(static_cast<const char*>(to), bytes);
}

void __musa_sim_check_copies_committed() {
    if (BlockObserver* checks = active_observer()) checks->copies_committed();
}

void __musa_sim_check_copies_awaited(unsigned left) {
    if (BlockObserver* checks = active_observer()) checks->copies_awaited(left);
}

void __musa_sim_check_released(const void* object) {
    if (BlockObserver* checks = active_observer()) checks->released(object, Scheduler::active()->current().rank);
}

void __musa_sim_check_acquired(const void* object) {
    if (BlockObserver* checks = active_observer()) checks->acquired(object, Scheduler::active()->current().rank);
}

void __musa_sim_check_operand(const void* registers, unsigned long long bytes, int is_floating) {
    if (BlockObserver* checks = active_observer())
        checks->operand(static_cast<const char*>(registers), bytes, is_floating != 0);
}

void* __musa_sim_check_malloc(std::size_t size) {
    return musa_sim::DeviceRanges::instance().allocate(size);
}

void __musa_sim_check_free(void* memory) {
    if (!memory || musa_sim::DeviceRanges::instance().release(memory)) return;
    musa_sim::Scheduler& scheduler = *Scheduler::active();
    if (scheduler.launch().fail(musaErrorIllegalAddress)) {
        musa_sim::Findings::instance().add("memory", "free in a kernel");
        musa_sim::Findings::instance().report(
            "memory: a kernel frees memory that it did not allocate, or a second time",
            musa_sim::who(scheduler.launch()) + "\n" +
                musa_sim::GuardedMemory::instance().describe(memory));
    }
    scheduler.leave_block();
}
