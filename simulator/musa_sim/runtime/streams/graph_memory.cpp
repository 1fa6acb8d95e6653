#include "streams/graph_memory.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/active_checks.h"
#include "base/device_abi.h"
#include "base/small_tables.h"
#include "memory/guarded_memory.h"
#include "memory/memory_table.h"

namespace musa_sim {
namespace {

struct Use {
    std::uint64_t now = 0;
    std::uint64_t most = 0;
};

// Of each device.
struct Uses {
    std::map<int, Use> by_device;

    static Uses& instance() {
        static auto& uses = leaked<Uses>();
        return uses;
    }
    template <class Change>
    std::uint64_t with(int device, Change&& change) {
        std::lock_guard<std::mutex> lock(small_tables());
        return change(by_device[device]);
    }
};

const AllocationNode* allocation_of(const MUgraphNode_st& node) {
    return dynamic_cast<const AllocationNode*>(node.work.get());
}

template <class Predicate>
bool any_allocation(const MUgraph_st& graph, Predicate&& holds) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
        const AllocationNode* allocation = allocation_of(*node);
        return (allocation && holds(*allocation->memory())) || (node->child && any_allocation(*node->child, holds));
    });
}

}  // namespace

GraphMemory::GraphMemory(void* pointer, std::size_t size, int device)
    : pointer_(pointer), size_(size), device_(device) {
    Uses::instance().with(device, [=](Use& use) {
        use.now += size;
        return use.most = std::max(use.most, use.now);
    });
}

GraphMemory::~GraphMemory() {
    MemoryTable::instance().release(pointer_, MemoryKind::device, MemoryKind::retired);
    Uses::instance().with(device_, [this](Use& use) { return use.now -= size_; });
}

bool GraphMemory::free() {
    if (freed_) return false;
    return freed_ = MemoryTable::instance().retire(pointer_);
}

void GraphMemory::renew() const {
    const DeviceWork work;
    if (is_checking(~0u)) fill_unwritten(pointer_, size_);
}

std::uint64_t GraphMemory::used(int device) {
    return Uses::instance().with(device, [](const Use& use) { return use.now; });
}

std::uint64_t GraphMemory::most_used(int device) {
    return Uses::instance().with(device, [](const Use& use) { return use.most; });
}

void GraphMemory::restart_most_used(int device) {
    Uses::instance().with(device, [](Use& use) { return use.most = use.now; });
}

std::unique_ptr<Work> AllocationNode::make(const Target&) const {
    return as_work([memory = memory_] { memory->renew(); });
}

musaMemAllocNodeParams plain_allocation(int device, std::size_t size, void* pointer) {
    musaMemAllocNodeParams parameters{};
    parameters.poolProps.allocType = musaMemAllocationTypePinned;
    parameters.poolProps.location = {musaMemLocationTypeDevice, device};
    parameters.bytesize = size;
    parameters.dptr = pointer;
    return parameters;
}

bool free_in_graph(const MUgraph_st& graph, const void* pointer) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [=](const auto& node) {
        const AllocationNode* allocation = allocation_of(*node);
        return allocation && allocation->memory()->pointer() == pointer && allocation->memory()->free();
    });
}

bool allocates_memory(const MUgraph_st& graph) {
    return any_allocation(graph, [](const GraphMemory&) { return true; });
}

bool keeps_memory(const MUgraph_st& graph) {
    return any_allocation(graph, [](const GraphMemory& memory) { return !memory.is_freed(); });
}

musaError_t refuse_kept_memory() {
    std::fprintf(stderr,
                 "[musa-sim] a graph's allocation (a captured musaMallocAsync, or a node) without its musaFreeAsync: "
                 "memory that a graph leaves allocated is not simulated\n");
    return musaErrorNotSupported;
}

}  // namespace musa_sim
