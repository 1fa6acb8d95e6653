// Device memory that a graph allocates: at one address, which it keeps. A node of the graph frees it, or a launch leaves it
// allocated until the program, another graph or the next launch frees it. The memory itself stays the graph's, so that a use
// after such a free goes unseen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "streams/graph.h"

namespace musa_sim {

class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
public:
    // `pointer` was allocated with musa_sim::allocate().
    GraphMemory(void* pointer, std::size_t size, int device);
    ~GraphMemory();
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;

    void* pointer() const { return pointer_; }
    std::size_t size() const { return size_; }
    int device() const { return device_; }
    // By a node of its graph.
    bool is_freed() const { return freed_; }
    // False if it was freed before.
    bool free();
    // The memory at the address that a graph leaves allocated; nullptr if there is none.
    static std::shared_ptr<GraphMemory> left_at(const void* pointer);
    // Whether a launch left it allocated, and nothing freed it since.
    bool is_left() const;
    void leave();
    // False if it is not left allocated.
    bool end();
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
    std::shared_ptr<GraphMemory> left_;  // itself while it is left allocated
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
    FreeNode(void* pointer, bool is_own) : pointer_(pointer), is_own_(is_own) {}
    void* pointer() const { return pointer_; }
    // Whether its graph allocates the memory as well.
    bool is_own() const { return is_own_; }

private:
    void* pointer_;
    bool is_own_;
};

// The parameters of an allocation from the device's own pool.
musaMemAllocNodeParams plain_allocation(int device, std::size_t size, void* pointer);
// Free memory that a node of the graph allocates; false if there is none that is not freed yet.
bool free_in_graph(const MUgraph_st& graph, const void* pointer);
// Whether the graph, or one inside it, allocates memory.
bool allocates_memory(const MUgraph_st& graph);
// Whether it allocates or frees some.
bool has_memory_nodes(const MUgraph_st& graph);
// The memory that other graphs leave allocated is freed, and the graph's own is left allocated. musaErrorInvalidValue, and no
// change, if the first is not allocated, or the second still is and the launch does not free it.
musaError_t begin_launch(const MUgraph_st& graph, bool frees_first);

}  // namespace musa_sim
