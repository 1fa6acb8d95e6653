// A launch of a kernel as work of a stream, and as a node of a graph.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "blocks/launch.h"
#include "programs/registry.h"
#include "streams/activity.h"
#include "streams/graph.h"
#include "streams/launch_arguments.h"
#include "streams/launch_limits.h"

namespace musa_sim {

class KernelWork final : public Work {
public:
    KernelWork(int device, const char* name, const KernelCode& code, const LaunchShape& shape);

    // Record it for the profiler; it is certain to be submitted.
    void note(const Target& target, const KernelCode& code);
    const Launch& launch() const { return launch_; }
    // Use the arguments of the caller, who waits; copy them only if pointers in them must be replaced.
    void use(void** arguments);
    void copy(void** arguments);
    // An error of the kernel is, as on a GPU, the device's error from then on.
    void run() override;

private:
    bool hides_foreign_memory() const;

    std::optional<LaunchArguments> arguments_;
    Launch launch_;
    ActivityOfWork activity_;
};

// A kernel of a graph, with the arguments as they were when the node was made.
class KernelNode final : public NodeWork {
public:
    // `func`: the host address of the kernel
    KernelNode(const void* func, const Kernel& kernel, const KernelCode& code,
               const LaunchShape& shape, void** arguments);

    std::unique_ptr<Work> make(const Target& target) const override;
    // The pointers to the arguments are valid as long as the node has these parameters.
    musaKernelNodeParams parameters() const;
    bool is_cooperative() const { return shape_.cooperative; }

    // Attributes of launches that a node keeps: whether it is cooperative, and hints, which change nothing.
    // musaErrorInvalidValue for others.
    musaError_t attribute(musaLaunchAttributeID id, musaLaunchAttributeValue* value) const;
    // The same kernel with another attribute; nullptr if nodes have no such attribute.
    std::shared_ptr<const KernelNode> with(musaLaunchAttributeID id, const musaLaunchAttributeValue& value) const;
    // The same kernel with all attributes of the other node.
    std::shared_ptr<const KernelNode> with_attributes_of(const KernelNode& other) const;

private:
    // With the arguments as they are.
    KernelNode(const KernelNode& other);

    const void* func_;
    const char* name_;
    KernelCode code_;
    LaunchShape shape_;
    // The program may overwrite the pointers that it gets, not those of the copies.
    mutable LaunchArguments arguments_;
    mutable std::vector<void*> given_pointers_;
    std::map<musaLaunchAttributeID, musaLaunchAttributeValue> hints_;
};

// False, after a line on stderr, if an argument cannot be kept for later.
bool can_be_node(const Kernel& kernel, const KernelCode& code);

}  // namespace musa_sim
