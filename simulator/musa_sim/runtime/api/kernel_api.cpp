// Launching kernels, their attributes, and their occupancy.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/active_checks.h"
#include "base/devices.h"
#include "base/lifetime.h"
#include "blocks/worker_pool.h"
#include "programs/registry.h"
#include "streams/activity.h"
#include "streams/capture.h"
#include "streams/kernel_work.h"
#include "streams/launch_limits.h"
#include "streams/packed_arguments.h"

using musa_sim::ActivityCall;
using musa_sim::Architecture;
using musa_sim::Captures;
using musa_sim::Completion;
using musa_sim::current;
using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::Kernel;
using musa_sim::KernelCode;
using musa_sim::KernelWork;
using musa_sim::Launch;
using musa_sim::LaunchShape;
using musa_sim::not_simulated;
using musa_sim::Registry;
using musa_sim::Start;
using musa_sim::Target;

namespace {

struct CallConfiguration {
    dim3 grid;
    dim3 block;
    std::size_t shared;
    void* stream;
};

// kernel<<<...>>>(arguments) pushes the configuration, evaluates the arguments, which may launch
// other kernels, and pops it again in the stub.
std::vector<CallConfiguration>& call_configurations() {
    return musa_sim::PerThread<std::vector<CallConfiguration>>::get();
}

musaError_t find(const void* func, Kernel** kernel, KernelCode** code) {
    return Registry::instance().find_kernel(func, current_device(), kernel, code);
}

}  // namespace

extern "C" {

MUSA_SIM_EXPORT unsigned __musaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                                     void* stream) {
    call_configurations().push_back({grid, block, shared, stream});
    return 0;
}

MUSA_SIM_EXPORT int __musaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared,
                                               void** stream) {
    if (call_configurations().empty()) return musaErrorMissingConfiguration;
    const CallConfiguration& top = call_configurations().back();
    *grid = top.grid;
    *block = top.block;
    *shared = top.shared;
    *stream = top.stream;
    call_configurations().pop_back();
    return musaSuccess;
}
}

namespace {

// In a graph: as often as that is launched, with the arguments as they are now.
musaError_t add_kernel(const Target& target, const void* func, const Kernel& kernel,
                       const KernelCode& code, const LaunchShape& shape, void** arguments) {
    if (!musa_sim::can_be_node(kernel, code)) {
        const musaError_t error = Captures::instance().refuse(target);
        return error != musaSuccess ? error : musaErrorStreamCaptureUnsupported;
    }
    return Captures::instance().add(
        target, musaGraphNodeTypeKernel, kernel.readable_name,
        std::make_shared<musa_sim::KernelNode>(func, kernel, code, shape, arguments));
}

// A thread is woken at once for kernels that take longer than the queue thread's poll interval (stream_queues.cpp): to
// wake it takes 20 us of both threads, and the program often waits for the kernel soon and runs it
// itself. So many threads of a simple kernel take half a millisecond.
constexpr std::uint64_t least_urgent_threads = 4 << 20;

musaError_t launch_kernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                          size_t sharedMem, musaStream_t stream, bool cooperative) {
    return device_call([&] {
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        musaError_t error = find(func, &kernel, &code);
        if (error != musaSuccess) return error;
        Target target;
        error = musa_sim::find_work_target(stream, &target);
        if (error != musaSuccess) return error;
        if (target.device != current_device()) return musaErrorInvalidResourceHandle;
        const LaunchShape shape{gridDim, blockDim, sharedMem, cooperative};
        error = musa_sim::check_launch(*kernel, *code, shape);
        if (error != musaSuccess) return error;

        if (!code->shared_variables) musa_sim::note_uninstrumented(kernel->readable_name);
        if (musa_sim::is_captured(target))
            return add_kernel(target, func, *kernel, *code, shape, args);
        auto work =
            std::make_unique<KernelWork>(target.device, kernel->readable_name, *code, shape);
        const Launch& launch = work->launch();
        if (musa_sim::Activities::recording()) work->note(target, *code);
        const musa_sim::Settings& settings = musa_sim::settings();
        const bool in_this_call = !settings.asynchronous || !code->can_copy_arguments;
        if (in_this_call || settings.launch_blocking) {
            work->use(args);
            error = musa_sim::submit(target, Completion::awaited, Start::by_waiter, std::move(work));
            return settings.launch_blocking ? error : musaSuccess;
        }
        work->copy(args);
        const bool urgent =
            launch.block_count() * launch.threads_per_block() >= least_urgent_threads;
        return musa_sim::submit(target, Completion::not_awaited, urgent ? Start::now : Start::soon,
                                std::move(work));
    });
}

// Hints are accepted and ignored.
musaError_t read_attributes(const musaLaunchConfig_t* config, bool* cooperative) {
    if (!config || (config->numAttrs > 0 && !config->attrs)) return musaErrorInvalidValue;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const musaLaunchAttributeValue& value = config->attrs[i].val;
        switch (config->attrs[i].id) {
            case musaLaunchAttributeCooperative: *cooperative = value.cooperative != 0; break;
            case musaLaunchAttributeClusterDimension:
                if (value.clusterDim.x == 0 || value.clusterDim.y == 0 || value.clusterDim.z == 0) {
                    std::fprintf(stderr, "[musa-sim] clusterDim is (%u,%u,%u); each of them is at least 1\n",
                                 value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
                    return musaErrorInvalidValue;
                }
                if (value.clusterDim.x * value.clusterDim.y * value.clusterDim.z > 1)
                    return not_simulated("launches of clusters of blocks");
                break;
            case musaLaunchAttributeProgrammaticEvent:
                return not_simulated("events that kernels trigger (musaLaunchAttributeProgrammaticEvent)");
            case musaLaunchAttributeIgnore:
            case musaLaunchAttributeAccessPolicyWindow:
            case musaLaunchAttributeSynchronizationPolicy:
            case musaLaunchAttributeClusterSchedulingPolicyPreference:
            case musaLaunchAttributeProgrammaticStreamSerialization:
            case musaLaunchAttributePriority: break;
            default: return musaErrorInvalidValue;
        }
    }
    return musaSuccess;
}

}  // namespace

musaError_t musaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                             size_t sharedMem, musaStream_t stream) {
    const ActivityCall call(__func__);
    return launch_kernel(func, gridDim, blockDim, args, sharedMem, stream, false);
}

musaError_t musaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                        size_t sharedMem, musaStream_t stream) {
    const ActivityCall call(__func__);
    return launch_kernel(func, gridDim, blockDim, args, sharedMem, stream, true);
}

musaError_t musaLaunchKernelExC(const musaLaunchConfig_t* config, const void* func, void** args) {
    const ActivityCall call(__func__);
    bool cooperative = false;
    const musaError_t error =
        device_call([&] { return read_attributes(config, &cooperative); });
    if (error != musaSuccess) return error;
    return launch_kernel(func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
                         config->stream, cooperative);
}

int __musa_sim_unpack_arguments(const void* kernel, void** extra, int (*launch)(void**, void*), void* data) {
    std::unique_ptr<musa_sim::LaunchArguments> arguments;
    const musaError_t error = device_call([&] {
        Kernel* found = nullptr;
        KernelCode* code = nullptr;
        const musaError_t no_kernel = find(kernel, &found, &code);
        return no_kernel != musaSuccess ? no_kernel : musa_sim::unpack_extra(*found, *code, extra, &arguments);
    });
    return error == musaSuccess ? launch(arguments->pointers(), data) : error;
}

musaError_t musaFuncSetAttribute(const void* func, musaFuncAttribute attr, int value) {
    return device_call([&] {
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        musaError_t error = find(func, &kernel, &code);
        if (error != musaSuccess) return error;
        switch (attr) {
            case musaFuncAttributeMaxDynamicSharedMemorySize: {
                const std::size_t limit = current().architecture->shared_per_block_optin;
                if (value < 0 || code->static_shared + static_cast<std::size_t>(value) > limit) {
                    return musa_sim::refuse_launch(
                        *kernel, {musaErrorInvalidValue,
                                  "musaFuncAttributeMaxDynamicSharedMemorySize is to be " +
                                      std::to_string(value) + "; with " +
                                      std::to_string(code->static_shared) +
                                      " bytes of static shared memory " +
                                      current().architecture->name + " allows 0 to " +
                                      std::to_string(limit - code->static_shared)});
                }
                code->max_dynamic_shared = static_cast<std::size_t>(value);
                return musaSuccess;
            }
            case musaFuncAttributePreferredSharedMemoryCarveout:  // a hint, in percent or -1
                return value >= -1 && value <= 100 ? musaSuccess : musaErrorInvalidValue;
            case musaFuncAttributeMax: break;
        }
        return musaErrorInvalidValue;
    });
}

// Numbers that the simulator does not know (registers, local and constant memory) are zero.
musaError_t musaFuncGetAttributes(musaFuncAttributes* attr, const void* func) {
    return device_call([&] {
        if (!attr) return musaErrorInvalidValue;
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        musaError_t error = find(func, &kernel, &code);
        if (error != musaSuccess) return error;
        const Architecture& arch = *current().architecture;
        *attr = musaFuncAttributes{};
        attr->sharedSizeBytes = code->static_shared;
        attr->maxThreadsPerBlock = code->max_threads;
        attr->binaryVersion = arch.major * 10 + arch.minor;
        attr->ptxVersion = attr->binaryVersion;
        attr->maxDynamicSharedSizeBytes = static_cast<int>(
            code->max_dynamic_shared ? code->max_dynamic_shared
                                     : arch.shared_per_block - code->static_shared);
        attr->preferredShmemCarveout = -1;
        return musaSuccess;
    });
}

musaError_t musaFuncGetName(const char** name, const void* func) {
    return device_call([&] {
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        const musaError_t error = name ? find(func, &kernel, &code) : musaErrorInvalidValue;
        if (error == musaSuccess) *name = kernel->device_name.c_str();
        return error;
    });
}

musaError_t musaFuncGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
    return device_call([&] {
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        musaError_t error = paramOffset ? find(func, &kernel, &code) : musaErrorInvalidValue;
        std::size_t offset = 0, bytes = 0;
        if (error == musaSuccess) error = musa_sim::locate_parameter(*kernel, *code, paramIndex, &offset, &bytes);
        if (error != musaSuccess) return error;
        *paramOffset = offset;
        musa_sim::set_if_asked(paramSize, bytes);
        return musaSuccess;
    });
}

// The driver knows kernels by the same addresses (musa_sim/libraries/musa/module.cpp).
musaError_t musaGetFuncBySymbol(musaFunction_t* function, const void* symbol) {
    return device_call([&] {
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        const musaError_t error = function ? find(symbol, &kernel, &code) : musaErrorInvalidValue;
        if (error == musaSuccess) *function = static_cast<musaFunction_t>(const_cast<void*>(symbol));
        return error;
    });
}

// The shared memory left for each block, if so many are to fit.
musaError_t musaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func, int numBlocks,
                                                      int blockSize) {
    return device_call([&] {
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        const musaError_t error = find(func, &kernel, &code);
        if (error != musaSuccess) return error;
        if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0) return musaErrorInvalidValue;
        const Architecture& arch = *current().architecture;
        if (musa_sim::blocks_per_multiprocessor(arch, blockSize, code->static_shared) < numBlocks)
            return musaErrorInvalidValue;
        const std::size_t each = arch.shared_per_multiprocessor / static_cast<std::size_t>(numBlocks);
        const std::size_t most = std::min(each, arch.shared_per_block_optin);
        *dynamicSmemSize = most > code->static_shared ? most - code->static_shared : 0;
        return musaSuccess;
    });
}

// A preference, which a device without a configurable cache is free to ignore.
musaError_t musaFuncSetCacheConfig(const void* func, musaFuncCache cacheConfig) {
    return device_call([&] {
        if (cacheConfig < musaFuncCachePreferNone || cacheConfig > musaFuncCachePreferEqual) {
            return musaErrorInvalidValue;
        }
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        return find(func, &kernel, &code);
    });
}

// As are the widths of shared memory's banks, which the simulator does not have.
musaError_t musaFuncSetSharedMemConfig(const void* func, musaSharedMemConfig config) {
    return device_call([&] {
        if (config < musaSharedMemBankSizeDefault || config > musaSharedMemBankSizeEightByte)
            return musaErrorInvalidValue;
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        return find(func, &kernel, &code);
    });
}

musaError_t musaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func,
                                                          int blockSize,
                                                          size_t dynamicSharedMemSize) {
    return musaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, func, blockSize, dynamicSharedMemSize, musaOccupancyDefault);
}

// There are no caches whose use would take room from a block.
musaError_t musaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func,
                                                                   int blockSize,
                                                                   size_t dynamicSharedMemSize,
                                                                   unsigned int flags) {
    return device_call([&] {
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        musaError_t error = find(func, &kernel, &code);
        if (error != musaSuccess) return error;
        const bool known = (flags & ~musaOccupancyDisableCachingOverride) == 0;
        if (!numBlocks || blockSize <= 0 || !known) return musaErrorInvalidValue;
        const bool too_large = blockSize > code->max_threads ||
                               shared_memory_problem(*current().architecture, *code,
                                                     dynamicSharedMemSize)
                                       .error != musaSuccess;
        *numBlocks = too_large
                         ? 0
                         : musa_sim::blocks_per_multiprocessor(
                               *current().architecture, blockSize,
                               code->static_shared + dynamicSharedMemSize);
        return musaSuccess;
    });
}

musaError_t musaOccupancyMaxPotentialClusterSize(int* clusterSize, const void* func, const musaLaunchConfig_t* config) {
    return device_call([&] {
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        const musaError_t error = clusterSize && config ? find(func, &kernel, &code) : musaErrorInvalidValue;
        if (error == musaSuccess) *clusterSize = 1;
        return error;
    });
}

musaError_t musaOccupancyMaxActiveClusters(int* numClusters, const void* func, const musaLaunchConfig_t* config) {
    bool cooperative = false;
    musaError_t error = device_call([&] { return numClusters ? read_attributes(config, &cooperative) : musaErrorInvalidValue; });
    int each = 0;
    if (error == musaSuccess) {
        const int threads = static_cast<int>(config->blockDim.x * config->blockDim.y * config->blockDim.z);
        error = musaOccupancyMaxActiveBlocksPerMultiprocessor(&each, func, threads, config->dynamicSmemBytes);
    }
    if (error == musaSuccess) *numClusters = each * current().architecture->multiprocessors;
    return error;
}
