// The checks of one running block: every access that instrumented device code is about to make.
//
// Belongs to one operating system thread, as the scheduler does; nothing is locked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "blocks/launch.h"
#include "checks/shared_races.h"

namespace musa_sim {

class Scheduler;
struct Allocation;

struct AccessRequest {
    const char* address;
    std::size_t size;
    std::size_t element;  // bytes of one scalar; at least 1
    std::size_t align;
    unsigned flags;  // AccessFlags of device_abi.h
    const char* place;
};

struct LocalVariable {
    const char* begin;
    std::size_t size;
    const char* name;  // nullptr if it has none
};

class BlockChecks {
public:
    explicit BlockChecks(Scheduler& scheduler) : scheduler_(scheduler) {}

    void begin_launch(const Launch& launch);
    void begin_block();
    void end_block(bool completed);
    // All threads of the block have met; these threads of one warp have met.
    void block_barrier();
    void warp_barrier(const std::vector<std::uint32_t>& ranks);

    // Returns if the access may be made; otherwise the block has ended.
    void access(const AccessRequest& request);
    // The same for an access that should stay within a variable of the running function.
    void local_access(const AccessRequest& request, const LocalVariable& variable);

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

    Scheduler& scheduler_;
    unsigned checks_ = 0;
    std::vector<SharedVariable> shared_;
    std::size_t shared_bytes_ = 0;
    std::vector<Range> arguments_;
    static constexpr std::size_t known_ranges = 8;
    Range known_[known_ranges];  // allocations that were found lately
    std::size_t next_known_ = 0;
    static constexpr std::uint64_t no_generation = ~std::uint64_t{0};
    std::uint64_t known_generation_ = no_generation;
    SharedRaces races_;
    // The last write that was allowed. It has happened once the next access is asked for.
    const char* written_ = nullptr;
    std::size_t written_size_ = 0;
};

}  // namespace musa_sim
