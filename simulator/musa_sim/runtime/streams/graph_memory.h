// Device memory that a graph allocates and frees: at one address, which it keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "streams/graph.h"

namespace musa_sim {

class GraphMemory {
public:
    // `pointer` was allocated with musa_sim::allocate().
    GraphMemory(void* pointer, std::size_t size, int device);
    ~GraphMemory();
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;

    void* pointer() const { return pointer_; }
    std::size_t size() const { return size_; }
    int device() const { return device_; }
    bool is_freed() const { return freed_; }
    // False if it was freed before.
    bool free();
    // Each launch finds it as if it were new.
    void renew() const;

    // The bytes that the graphs' memory takes on a device, now and at most since the last restart.
    static std::uint64_t used(int device);
    static std::uint64_t most_used(int device);
    static void restart_most_used(int device);

private:
    void* pointer_;
    std::size_t size_;
    int device_;
    bool freed_ = false;
};

class AllocationNode final : public NodeWork {
public:
    AllocationNode(std::shared_ptr<GraphMemory> memory, const musaMemAllocNodeParams& parameters)
        : memory_(std::move(memory)), parameters_(parameters) {}

    std::unique_ptr<Work> make(const Target& target) const override;
    const std::shared_ptr<GraphMemory>& memory() const { return memory_; }
    const musaMemAllocNodeParams& parameters() const { return parameters_; }

private:
    std::shared_ptr<GraphMemory> memory_;
    musaMemAllocNodeParams parameters_;
};

class FreeNode final : public NodeWork {
public:
    explicit FreeNode(void* pointer) : pointer_(pointer) {}
    void* pointer() const { return pointer_; }

private:
    void* pointer_;
};

// The parameters of an allocation from the device's own pool.
musaMemAllocNodeParams plain_allocation(int device, std::size_t size, void* pointer);
// Free memory that a node of the graph allocates; false if there is none that is not freed yet.
bool free_in_graph(const MUgraph_st& graph, const void* pointer);
// Whether the graph, or one inside it, allocates memory; whether it leaves some allocated, which is not simulated.
bool allocates_memory(const MUgraph_st& graph);
bool keeps_memory(const MUgraph_st& graph);
// musaErrorNotSupported, after a line on stderr.
musaError_t refuse_kept_memory();

}  // namespace musa_sim
