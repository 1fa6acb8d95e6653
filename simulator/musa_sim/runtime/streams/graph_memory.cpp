#include "streams/graph_memory.h"

#include <algorithm>
#include <map>
#include <vector>

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

// Of each device, and the memory by its address.
struct Uses {
    std::map<int, Use> by_device;
    std::map<const void*, GraphMemory*> by_address;

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

// The memory that a graph allocates and does not free, and the memory of others that it frees, with the graphs inside it.
struct LeftAndFreed {
    std::vector<std::shared_ptr<GraphMemory>> left, freed;
    bool frees_what_is_gone = false;
};

void collect(const MUgraph_st& graph, LeftAndFreed& found) {
    for (const auto& node : graph.nodes) {
        if (node->child) collect(*node->child, found);
        if (const AllocationNode* allocation = allocation_of(*node)) {
            if (!allocation->memory()->is_freed()) found.left.push_back(allocation->memory());
        }
        const auto* free = dynamic_cast<const FreeNode*>(node->work.get());
        if (!free || free->is_own()) continue;
        auto memory = GraphMemory::left_at(free->pointer());
        if (!memory) found.frees_what_is_gone = true;
        else found.freed.push_back(std::move(memory));
    }
}

}  // namespace

GraphMemory::GraphMemory(void* pointer, std::size_t size, int device)
    : pointer_(pointer), size_(size), device_(device) {
    Uses::instance().with(device, [=](Use& use) {
        use.now += size;
        return use.most = std::max(use.most, use.now);
    });
    std::lock_guard<std::mutex> lock(small_tables());
    Uses::instance().by_address[pointer] = this;
}

GraphMemory::~GraphMemory() {
    {
        std::lock_guard<std::mutex> lock(small_tables());
        Uses::instance().by_address.erase(pointer_);
    }
    MemoryTable::instance().release(pointer_, MemoryKind::device, MemoryKind::retired);
    Uses::instance().with(device_, [this](Use& use) { return use.now -= size_; });
}

bool GraphMemory::free() {
    if (freed_) return false;
    return freed_ = MemoryTable::instance().retire(pointer_);
}

std::shared_ptr<GraphMemory> GraphMemory::left_at(const void* pointer) {
    std::lock_guard<std::mutex> lock(small_tables());
    const auto& all = Uses::instance().by_address;
    const auto found = all.find(pointer);
    if (found == all.end() || found->second->freed_) return nullptr;
    return found->second->weak_from_this().lock();
}

bool GraphMemory::is_left() const {
    std::lock_guard<std::mutex> lock(small_tables());
    return left_ != nullptr;
}

void GraphMemory::leave() {
    std::lock_guard<std::mutex> lock(small_tables());
    left_ = shared_from_this();
}

bool GraphMemory::end() {
    std::shared_ptr<GraphMemory> was_left;  // let go without the lock
    std::lock_guard<std::mutex> lock(small_tables());
    was_left.swap(left_);
    return was_left != nullptr;
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
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
        return allocation_of(*node) || (node->child && allocates_memory(*node->child));
    });
}

bool has_memory_nodes(const MUgraph_st& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
        return node->type == musaGraphNodeTypeMemAlloc || node->type == musaGraphNodeTypeMemFree ||
               (node->child && has_memory_nodes(*node->child));
    });
}

musaError_t begin_launch(const MUgraph_st& graph, bool frees_first) {
    LeftAndFreed found;
    collect(graph, found);
    const auto is_left = [](const auto& memory) { return memory->is_left(); };
    if (found.frees_what_is_gone || !std::all_of(found.freed.begin(), found.freed.end(), is_left))
        return musaErrorInvalidValue;
    if (!frees_first && std::any_of(found.left.begin(), found.left.end(), is_left)) return musaErrorInvalidValue;
    for (const auto& memory : found.freed) memory->end();
    for (const auto& memory : found.left) memory->leave();
    return musaSuccess;
}

}  // namespace musa_sim
