// Kernels as nodes of graphs: their parameters and attributes.
#include <memory>

#include "api/graph_nodes.h"
#include "streams/kernel_work.h"
#include "streams/packed_arguments.h"

using musa_sim::add_call;
using musa_sim::KernelNode;
using musa_sim::MadeWork;
using musa_sim::set_call;
using musa_sim::work_call;

namespace {

// The kernel of the parameters, if it could be launched so on the device. `old`: the node's kernel before, whose attributes stay.
musaError_t make(MadeWork& made, const musaKernelNodeParams* params, const KernelNode* old) {
    if (!params || (params->extra && params->kernelParams)) return musaErrorInvalidValue;
    musa_sim::Kernel* kernel = nullptr;
    musa_sim::KernelCode* code = nullptr;
    musaError_t error = musa_sim::Registry::instance().find_kernel(params->func, made.device, &kernel, &code);
    if (error != musaSuccess) return error;
    const musa_sim::LaunchShape shape{params->gridDim, params->blockDim, params->sharedMemBytes,
                                      old && old->is_cooperative()};
    // a launch gives musaErrorInvalidConfiguration; CUDA's nodes do not (an H200, CUDA 13)
    if (musa_sim::check_launch(*kernel, *code, shape) != musaSuccess) return musaErrorInvalidValue;
    if (!musa_sim::can_be_node(*kernel, *code)) return musaErrorNotSupported;
    std::unique_ptr<musa_sim::LaunchArguments> packed;
    if (params->extra) {
        error = musa_sim::unpack_extra(*kernel, *code, params->extra, &packed);
        if (error != musaSuccess) return error;
    }
    void** const arguments = packed ? packed->pointers() : params->kernelParams;
    if (code->argument_sizes[0] > 0 && !arguments) return musaErrorInvalidValue;
    const KernelNode node(params->func, *kernel, *code, shape, arguments);
    made.work = node.with_attributes_of(old ? *old : node);
    made.name = kernel->readable_name;
    return musaSuccess;
}

const KernelNode* kernel_of(const MUgraphNode_st& node) { return dynamic_cast<const KernelNode*>(node.work.get()); }

// The same kernel with other attributes, which change() makes.
template <class Change>
musaError_t change_attributes(musaGraphNode_t node, Change&& change) {
    return set_call(node, musaGraphNodeTypeKernel, [&](const MUgraphNode_st& old, MadeWork& made) {
        made.name = old.name;
        made.work = change(*kernel_of(old));
        return made.work ? musaSuccess : musaErrorInvalidValue;
    });
}

}  // namespace

musaError_t musaGraphAddKernelNode(musaGraphNode_t* node, musaGraph_t graph, const musaGraphNode_t* dependencies,
                                   size_t numDependencies, const musaKernelNodeParams* params) {
    return add_call(node, graph, dependencies, numDependencies, musaGraphNodeTypeKernel,
                    [&](MadeWork& made) { return make(made, params, nullptr); });
}

musaError_t musaGraphKernelNodeGetParams(musaGraphNode_t node, musaKernelNodeParams* params) {
    return work_call<KernelNode>(node, [&](const KernelNode& kernel) {
        if (!params) return musaErrorInvalidValue;
        *params = kernel.parameters();
        return musaSuccess;
    });
}

musaError_t musaGraphKernelNodeSetParams(musaGraphNode_t node, const musaKernelNodeParams* params) {
    return set_call(node, musaGraphNodeTypeKernel, [&](const MUgraphNode_st& old, MadeWork& made) {
        return make(made, params, kernel_of(old));
    });
}

musaError_t musaGraphExecKernelNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node,
                                             const musaKernelNodeParams* params) {
    return set_call(exec, node, musaGraphNodeTypeKernel, [&](const MUgraphNode_st& old, MadeWork& made) {
        return make(made, params, kernel_of(old));
    });
}

musaError_t musaGraphKernelNodeSetAttribute(musaGraphNode_t node, musaKernelNodeAttrID attr,
                                            const musaKernelNodeAttrValue* value) {
    return change_attributes(node, [&](const KernelNode& kernel) {
        return value ? kernel.with(attr, *value) : nullptr;
    });
}

musaError_t musaGraphKernelNodeGetAttribute(musaGraphNode_t node, musaKernelNodeAttrID attr,
                                            musaKernelNodeAttrValue* value) {
    return work_call<KernelNode>(node, [&](const KernelNode& kernel) {
        return value ? kernel.attribute(attr, value) : musaErrorInvalidValue;
    });
}

musaError_t musaGraphKernelNodeCopyAttributes(musaGraphNode_t from, musaGraphNode_t to) {
    return work_call<KernelNode>(from, [&](const KernelNode& source) {
        return change_attributes(to, [&](const KernelNode& kernel) { return kernel.with_attributes_of(source); });
    });
}
