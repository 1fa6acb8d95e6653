// The parameters of kernels of graphs.
#include <memory>

#include "streams/capture.h"
#include "streams/kernel_work.h"

using musa_sim::device_call;
using musa_sim::graph_of;
using musa_sim::KernelNode;
using musa_sim::live_executables;

namespace {

const KernelNode& kernel_of(musaGraphNode_t node) {
    return dynamic_cast<const KernelNode&>(*node->work);
}

// The node's kernel with other parameters, if it could be launched so on the device.
musaError_t change(musaGraphNode_t node, const musaKernelNodeParams& params, int device,
                   std::shared_ptr<const musa_sim::NodeWork>* made) {
    if (params.extra) return musaErrorInvalidValue;
    musa_sim::Kernel* kernel = nullptr;
    musa_sim::KernelCode* code = nullptr;
    musaError_t error =
        musa_sim::Registry::instance().find_kernel(params.func, device, &kernel, &code);
    if (error != musaSuccess) return error;
    const musa_sim::LaunchShape shape{params.gridDim, params.blockDim, params.sharedMemBytes,
                                      kernel_of(node).is_cooperative()};
    error = musa_sim::check_launch(*kernel, *code, shape);
    if (error != musaSuccess) return error;
    if (!musa_sim::can_be_node(*kernel, *code)) return musaErrorNotSupported;
    if (code->argument_sizes[0] > 0 && !params.kernelParams) return musaErrorInvalidValue;
    *made = std::make_shared<KernelNode>(params.func, *kernel, *code, shape, params.kernelParams);
    return musaSuccess;
}

bool is_kernel(musaGraphNode_t node) { return node->type == musaGraphNodeTypeKernel; }

}  // namespace

musaError_t musaGraphKernelNodeGetParams(musaGraphNode_t node, musaKernelNodeParams* params) {
    return device_call([&] {
        if (!params || !graph_of(node) || !is_kernel(node)) return musaErrorInvalidValue;
        *params = kernel_of(node).parameters();
        return musaSuccess;
    });
}

musaError_t musaGraphKernelNodeSetParams(musaGraphNode_t node, const musaKernelNodeParams* params) {
    return device_call([&] {
        const auto graph = graph_of(node);
        if (!params || !graph || !is_kernel(node)) return musaErrorInvalidValue;
        return change(node, *params, graph->streams[node->stream].device, &node->work);
    });
}

musaError_t musaGraphExecKernelNodeSetParams(musaGraphExec_t exec, musaGraphNode_t node,
                                             const musaKernelNodeParams* params) {
    return device_call([&] {
        const auto found = live_executables().find(exec);
        if (!params || !found || !graph_of(node) || !is_kernel(node)) return musaErrorInvalidValue;
        const int device = found->executable->device_of(node);
        if (device < 0) return musaErrorInvalidValue;
        std::shared_ptr<const musa_sim::NodeWork> work;
        const musaError_t error = change(node, *params, device, &work);
        if (error == musaSuccess) found->executable->replace(node, std::move(work));
        return error;
    });
}
