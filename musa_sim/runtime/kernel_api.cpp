// Launching kernels, their attributes, and the occupancy model.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "activity.h"
#include "capture.h"
#include "checks.h"
#include "devices.h"
#include "launch_arguments.h"
#include "lifetime.h"
#include "registry.h"
#include "worker_pool.h"

using musa_sim::ActivityCall;
using musa_sim::ActivityOfWork;
using musa_sim::Architecture;
using musa_sim::Captures;
using musa_sim::Completion;
using musa_sim::current;
using musa_sim::current_device;
using musa_sim::device_call;
using musa_sim::Kernel;
using musa_sim::KernelCode;
using musa_sim::Launch;
using musa_sim::LaunchArguments;
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

bool fits(unsigned value, int limit) { return value >= 1 && value <= static_cast<unsigned>(limit); }

bool fits(const dim3& size, const int (&limit)[3]) {
    return fits(size.x, limit[0]) && fits(size.y, limit[1]) && fits(size.z, limit[2]);
}

bool is_valid_grid(const dim3& g) {
    return fits(g, current().architecture->limits.grid) &&
           static_cast<unsigned __int128>(g.x) * g.y * g.z <= ~std::uint64_t{0} / 2;
}

bool is_valid_block(const dim3& b) {
    return fits(b, current().architecture->limits.block) &&
           std::uint64_t{b.x} * b.y * b.z <= musa_sim::max_threads_per_block;
}

// Without opting in through musaFuncSetAttribute, static and dynamic shared memory together have
// the default limit.
bool is_valid_shared(const KernelCode& code, std::size_t dynamic) {
    const Architecture& arch = *current().architecture;
    if (code.max_dynamic_shared != 0) {
        return dynamic <= code.max_dynamic_shared &&
               code.static_shared + dynamic <= arch.shared_per_block_optin;
    }
    return code.static_shared + dynamic <= arch.shared_per_block;
}

musaError_t find(const void* func, Kernel** kernel, KernelCode** code) {
    return Registry::instance().find_kernel(func, current_device(), kernel, code);
}

// How many blocks fit on a multiprocessor by threads, shared memory and a fixed maximum. Registers
// are not modelled: the simulator has none to count.
int blocks_per_multiprocessor(const Architecture& arch, int block_size, std::size_t shared) {
    const int warps = (block_size + arch.warp_size - 1) / arch.warp_size;
    int blocks = std::min(musa_sim::max_blocks_per_multiprocessor,
                          arch.threads_per_multiprocessor / (warps * arch.warp_size));
    if (shared > 0) {
        blocks = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(blocks),
                                                        arch.shared_per_multiprocessor / shared));
    }
    return blocks;
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

// How many blocks the device holds at a time: what a cooperative launch may have.
std::uint64_t resident_blocks(const KernelCode& code, const dim3& block, std::size_t shared) {
    const Architecture& arch = *current().architecture;
    const int per_multiprocessor = blocks_per_multiprocessor(
        arch, static_cast<int>(block.x * block.y * block.z), code.static_shared + shared);
    return static_cast<std::uint64_t>(per_multiprocessor) *
           static_cast<std::uint64_t>(arch.multiprocessors);
}

// A kernel in the order of its stream.
class KernelWork final : public musa_sim::Work {
public:
    KernelWork(int device, const char* name, const KernelCode& code, dim3 grid, dim3 block,
               std::size_t shared, bool cooperative) {
        launch_.device = device;
        launch_.kernel_name = name;
        launch_.entry = code.entry;
        launch_.loop = code.loop;
        launch_.grid = grid;
        launch_.block = block;
        launch_.dynamic_shared = shared;
        launch_.cooperative = cooperative;
        launch_.shared_variables = code.shared_variables;
        launch_.argument_sizes = code.argument_sizes;
    }
    // It is certain to be submitted: the profiler is told.
    void note(const Target& target, const KernelCode& code) {
        activity_ = ActivityOfWork(
            musa_sim_activity_kernel, target, [this] { return std::string(launch_.kernel_name); },
            [&](musa_sim_activity& facts) {
                const auto put = [](const dim3& size, unsigned(&into)[3]) {
                    into[0] = size.x, into[1] = size.y, into[2] = size.z;
                };
                put(launch_.grid, facts.grid);
                put(launch_.block, facts.block);
                facts.static_shared = code.static_shared;
                facts.dynamic_shared = launch_.dynamic_shared;
            });
    }

    const Launch& launch() const { return launch_; }
    // The arguments stay the caller's, who waits, unless they have to be looked into.
    void use(void** arguments) {
        launch_.arguments = arguments;
        if (hides_foreign_memory()) copy(arguments);
    }
    void copy(void** arguments) {
        arguments_.emplace(launch_.argument_sizes, arguments);
        launch_.arguments = arguments_->pointers();
        if (hides_foreign_memory())
            arguments_->hide_foreign_memory(launch_.device, launch_.argument_sizes);
    }
    // What goes wrong inside is, as on a GPU, the device's error from then on.
    void run() override {
        if (musa_sim::device_failed(launch_.device)) return;
        activity_.run([this] { musa_sim::WorkerPool::instance().run(launch_); });
        if (launch_.failed()) musa_sim::fail_device(launch_.device, launch_.error);
    }

private:
    // Checked code is looked at access by access.
    bool hides_foreign_memory() const {
        const bool checked = launch_.shared_variables && musa_sim::is_checking(musa_sim::check_memory);
        return musa_sim::DeviceTable::instance().count() > 1 && launch_.argument_sizes && !checked;
    }

    std::optional<LaunchArguments> arguments_;
    Launch launch_;
    ActivityOfWork activity_;
};

// In a graph: as often as that is launched, with the arguments as they are now.
musaError_t add_kernel(const Target& target, const Launch& launch, const KernelCode& code,
                       void** arguments) {
    if (!code.can_copy_arguments) {
        std::fprintf(stderr,
                     "[musa-sim] kernel %s cannot be captured: a parameter is a class whose size or "
                     "copy mcc cannot tell\n",
                     launch.kernel_name);
        const musaError_t error = Captures::instance().refuse(target);
        return error != musaSuccess ? error : musaErrorStreamCaptureUnsupported;
    }
    const auto copied = std::make_shared<LaunchArguments>(code.argument_sizes, arguments);
    const auto make = [=, name = launch.kernel_name, grid = launch.grid, block = launch.block,
                       shared = launch.dynamic_shared,
                       cooperative = launch.cooperative](const Target& lane) {
        auto work = std::make_unique<KernelWork>(lane.device, name, code, grid, block, shared,
                                                 cooperative);
        if (musa_sim::Activities::wanted()) work->note(lane, code);
        work->copy(copied->pointers());
        return [work = std::move(work)] { work->run(); };
    };
    return Captures::instance().add(target, musaGraphNodeTypeKernel, launch.kernel_name,
                                    musa_sim::as_node_work(make));
}

// A thread is woken at once for kernels that take longer than its next look (stream_queues.cpp): to
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
        if (!is_valid_grid(gridDim) || !is_valid_block(blockDim))
            return musaErrorInvalidConfiguration;
        // Real devices refuse it, too; with which error is a guess.
        if (blockDim.x * blockDim.y * blockDim.z > static_cast<unsigned>(code->max_threads))
            return musaErrorInvalidValue;
        if (!is_valid_shared(*code, sharedMem)) return musaErrorInvalidValue;

        auto work = std::make_unique<KernelWork>(target.device, kernel->readable_name, *code,
                                                 gridDim, blockDim, sharedMem, cooperative);
        const Launch& launch = work->launch();
        if (cooperative && launch.block_count() > resident_blocks(*code, blockDim, sharedMem))
            return musaErrorCooperativeLaunchTooLarge;

        if (!launch.shared_variables) musa_sim::note_uninstrumented(launch.kernel_name);
        if (musa_sim::is_captured(target)) return add_kernel(target, launch, *code, args);
        if (musa_sim::Activities::wanted()) work->note(target, *code);
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

musaError_t refuse(const char* what) {
    std::fprintf(stderr, "[musa-sim] %s are not simulated\n", what);
    return musaErrorNotSupported;
}

// Hints are taken: what they allow, the simulated device makes no use of.
musaError_t read_attributes(const musaLaunchConfig_t* config, bool* cooperative) {
    if (!config || (config->numAttrs > 0 && !config->attrs)) return musaErrorInvalidValue;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const musaLaunchAttributeValue& value = config->attrs[i].val;
        switch (config->attrs[i].id) {
            case musaLaunchAttributeCooperative: *cooperative = value.cooperative != 0; break;
            case musaLaunchAttributeClusterDimension:
                if (value.clusterDim.x == 0 || value.clusterDim.y == 0 || value.clusterDim.z == 0)
                    return musaErrorInvalidValue;
                if (value.clusterDim.x * value.clusterDim.y * value.clusterDim.z > 1)
                    return refuse("launches of clusters of blocks");
                break;
            case musaLaunchAttributeProgrammaticEvent:
                return refuse("events that kernels trigger (musaLaunchAttributeProgrammaticEvent)");
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
                    return musaErrorInvalidValue;
                }
                code->max_dynamic_shared = static_cast<std::size_t>(value);
                return musaSuccess;
            }
            case musaFuncAttributePreferredSharedMemoryCarveout:  // a hint, in percent or -1
                return value >= -1 && value <= 100 ? musaSuccess : musaErrorInvalidValue;
        }
        return musaErrorInvalidValue;
    });
}

// What the simulator cannot know (registers, local and constant memory) is zero.
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
    return device_call([&] {
        Kernel* kernel = nullptr;
        KernelCode* code = nullptr;
        musaError_t error = find(func, &kernel, &code);
        if (error != musaSuccess) return error;
        if (!numBlocks || blockSize <= 0) return musaErrorInvalidValue;
        const bool too_large = blockSize > code->max_threads ||
                               !is_valid_shared(*code, dynamicSharedMemSize);
        *numBlocks = too_large
                         ? 0
                         : blocks_per_multiprocessor(*current().architecture, blockSize,
                                                     code->static_shared + dynamicSharedMemSize);
        return musaSuccess;
    });
}
