// The checks of one running block: every access that instrumented device code is about to make, and where its threads
// meet.
//
// Belongs to one operating system thread, as the scheduler does; nothing is locked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "blocks/block_observer.h"
#include "checks/async_copies.h"
#include "checks/shared_races.h"
#include "memory/memory_table.h"

namespace musa_sim {

class BlockChecks final : public BlockObserver {
public:
    static std::unique_ptr<BlockObserver> make() { return std::make_unique<BlockChecks>(); }

    void begin_launch(const LaunchMemory& memory) override;
    void begin_block() override;
    void end_block(bool completed) override;
    void block_barrier() override;
    void warp_group(const WarpGroup& group) override;
    void grid_barrier(std::uint64_t arrived) override;
    void access(const AccessRequest& request) override;
    void local_access(const AccessRequest& request, const LocalVariable& variable) override;
    void copy_started(const char* to, std::size_t bytes) override;
    void copies_committed() override;
    void copies_awaited(std::size_t left) override;
    void released(const void* object, std::uint32_t rank) override;
    void acquired(const void* object, std::uint32_t rank) override;
    void operand(const char* registers, std::size_t bytes, bool is_floating) override;

private:
    struct SharedVariable {
        const char* begin;
        std::size_t size;
        std::size_t offset;  // in the block's shared memory, as the races number it
        const char* name;    // mangled; nullptr for the dynamic array
    };
    struct Range {
        const char* begin = nullptr;
        const char* end = nullptr;
    };

    static void add_shared(void* self, void* address, std::uint64_t size, const char* name);

    const SharedVariable* shared_at(const char* address, std::size_t size) const;
    bool is_known(const AccessRequest& request);
    void test_reach(const AccessRequest& request, const Allocation& allocation);
    void test_alignment(const AccessRequest& request);
    void test_written(const AccessRequest& request);
    void settle_write();
    void test_race(const AccessRequest& request, const SharedVariable& variable);
    std::string describe(const AccessRequest& request) const;
    std::string describe_shared(const char* address) const;
    [[noreturn]] void refuse(const AccessRequest& request, musaError_t code,
                             const std::string& what, const std::string& details);

    unsigned checks_ = 0;  // of the launch; 0 if its kernel is not instrumented
    std::vector<SharedVariable> shared_;
    std::size_t shared_bytes_ = 0;
    std::vector<Range> arguments_;
    static constexpr std::size_t known_ranges = 8;
    Range known_[known_ranges];  // allocations that were found lately
    std::size_t next_known_ = 0;
    static constexpr std::uint64_t no_generation = ~std::uint64_t{0};
    std::uint64_t known_generation_ = no_generation;
    SharedRaces races_;
    AsyncCopies copies_;
    // The last write that was allowed. It has been done by the time of the next access.
    const char* written_ = nullptr;
    std::size_t written_size_ = 0;
};

}  // namespace musa_sim
