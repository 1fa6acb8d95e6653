// The ABI between code compiled by mcc and libmusart: the names, layouts and calls that both
// sides rely on.
//
// mcc (musa_sim/mcc) writes programs against this file and never against anything else in this
// directory; the device headers (include/musa_sim/) declare the same functions for kernels. Fields
// may be added at the end of a structure, nothing may move. An image that an older libmusart would
// misread has another version (is_known).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#define MUSA_SIM_EXPORT __attribute__((visibility("default")))
#define MUSA_SIM_INITIAL_EXEC __attribute__((tls_model("initial-exec")))

extern "C" {

// The values of threadIdx, blockIdx, blockDim, gridDim and extern __shared__. One per operating system
// thread, which runs one block at a time; the scheduler rewrites thread_idx whenever it switches to
// another thread of the block. The initial-exec model makes each read one instruction.
struct __musa_sim_context_t {
    std::uint32_t thread_idx[4];  // offset 0: x, y, z; in a loop over threads: a LoopThread
    std::uint32_t block_idx[4];   // offset 16
    std::uint32_t block_dim[4];   // offset 32
    std::uint32_t grid_dim[4];    // offset 48
    void* dynamic_shared;         // offset 64
    std::uint32_t warp_size;      // offset 72: warpSize of the device
    const char* location;         // offset 80: checked builds: where the thread is about to wait
};
MUSA_SIM_EXPORT extern thread_local __musa_sim_context_t __musa_sim_context MUSA_SIM_INITIAL_EXEC;

// The state of thread_idx in a loop over threads: invalid, valid, or invalid in a block that has printed.
enum LoopThread : std::uint32_t { loop_thread_unknown, loop_thread_kept, loop_thread_printed };

// Functions that kernels call. musa_sim/mcc/runtime_abi/functions.py has the same as a table, which says
// where a thread may be suspended: mcc turns a kernel into a plain loop over its threads only if it
// reaches none of those. A test holds both against each other.

MUSA_SIM_EXPORT void __musa_sim_sync_threads();
// operation: ThreadsReduction. The value of __syncthreads_count, _and, _or.
MUSA_SIM_EXPORT int __musa_sim_sync_threads_reduce(int operation, int predicate);
MUSA_SIM_EXPORT void __musa_sim_sync_warp(unsigned mask);
// kind: ShuffleKind; argument: source lane, delta or lane mask; width: a power of two, at most the
// warp size.
MUSA_SIM_EXPORT unsigned long long __musa_sim_sync_shuffle(unsigned mask, unsigned long long value,
                                                           int kind, int argument, int width);
MUSA_SIM_EXPORT unsigned __musa_sim_sync_ballot(unsigned mask, int predicate);
// operation: VoteOperation
MUSA_SIM_EXPORT int __musa_sim_sync_vote(unsigned mask, int operation, int predicate);
// The lanes of `mask` that hold the caller's value; with all != 0, `mask` if all hold it, else 0.
MUSA_SIM_EXPORT unsigned __musa_sim_sync_match(unsigned mask, unsigned long long value, int all);
// __activemask: the lanes of the warp that arrived at this call together.
MUSA_SIM_EXPORT unsigned __musa_sim_sync_converge();
// The operations of cooperative_groups.h and cub: those of the functions above, but between lanes
// of the caller's own 32 only, also where a warp has 128. operation: LanesOperation; source: the
// lane to read from, 0 to 31.
MUSA_SIM_EXPORT unsigned long long __musa_sim_sync_lanes(unsigned mask, int operation,
                                                         unsigned long long value, int source);
// All threads of all blocks of a cooperative launch wait for each other.
MUSA_SIM_EXPORT void __musa_sim_sync_grid();
// 1 in a kernel that musaLaunchCooperativeKernel launched, else 0.
MUSA_SIM_EXPORT int __musa_sim_is_cooperative();
// Lets the other threads of the block run (__nanosleep).
MUSA_SIM_EXPORT void __musa_sim_sync_yield();
// The barrier of that number, 0 to 15, is complete when so many threads have arrived, whole warps each; the caller waits for
// that, or only arrives.
MUSA_SIM_EXPORT void __musa_sim_sync_named(unsigned barrier, unsigned threads, int waits);
// Ends the calling thread, as if its kernel returned (__musa_exit).
[[noreturn]] MUSA_SIM_EXPORT void __musa_sim_sync_exit();

// Textures and surfaces (textures.cpp). `texel`: four components, bits of floats or integers; `at`: as many coordinates as
// there are dimensions.
MUSA_SIM_EXPORT void __musa_sim_texture_fetch(unsigned long long texture, int dimensions,
                                              const float* at, unsigned* texel);
// The same in a layer of an array; by a direction in a cube map, whose `layer` is 0 if it has none; and one component of the
// four elements around a point.
MUSA_SIM_EXPORT void __musa_sim_texture_layer(unsigned long long texture, int dimensions, int layer,
                                              const float* at, unsigned* texel);
MUSA_SIM_EXPORT void __musa_sim_texture_cubemap(unsigned long long texture, int layer,
                                                const float* at, unsigned* texel);
MUSA_SIM_EXPORT void __musa_sim_texture_gather(unsigned long long texture, int component,
                                               const float* at, unsigned* texel);
// In the levels of a mipmapped array: at one, or between two; by `steps`, what a step along x and one along y of a picture
// adds to the coordinates. `layout`: musaArrayLayered, musaArrayCubemap or 0.
MUSA_SIM_EXPORT void __musa_sim_texture_level(unsigned long long texture, int dimensions, int layout, int layer,
                                              const float* at, float level, unsigned* texel);
MUSA_SIM_EXPORT void __musa_sim_texture_gradient(unsigned long long texture, int dimensions, int layout, int layer,
                                                 const float* at, const float* steps, unsigned* texel);
MUSA_SIM_EXPORT void __musa_sim_texture_element(unsigned long long texture, int index,
                                                unsigned* texel);
// The address of `bytes` of a surface, the first coordinate in bytes; nullptr: outside, and reads give zero.
MUSA_SIM_EXPORT void* __musa_sim_surface_element(unsigned long long surface, int dimensions,
                                               const int* at, int bytes, int boundary);

// The kind of memory that an address is in (address_spaces.cpp): 1 global, 2 shared, 3 local.
MUSA_SIM_EXPORT int __musa_sim_address_space(const void* address);

// A copy between variables of lanes that wait for each other (mma.h).
MUSA_SIM_EXPORT void __musa_sim_lane_copy(void* to, const void* from, unsigned long long bytes);

// Runs the block of a kernel that mcc has split where its threads wait. `kernel` is a SplitKernel,
// `arguments` are those of the launch.
MUSA_SIM_EXPORT void __musa_sim_run_block(const void* kernel, void* arguments);

// Checked builds (mcc --sim-check, musa_sim/mcc/passes/instrument.py): called before every access to
// memory that is not the function's own. `flags`: AccessFlags, from bit 8 the logarithm to base 2 of
// the bytes of one scalar, from bit 16 that of the alignment. `location`: "file:line:column", or
// nullptr.
MUSA_SIM_EXPORT void __musa_sim_check_access(const void* address, std::uint64_t size,
                                             std::uint32_t flags, const char* location);
// The same for an access to a variable of the function itself, which has so many bytes; `name`: what
// the source calls it, or nullptr.
MUSA_SIM_EXPORT void __musa_sim_check_local(const void* address, std::uint64_t size,
                                            std::uint32_t flags, const char* location,
                                            const void* variable, std::uint64_t bytes,
                                            const char* name);
// Before a copy; `flags`: from bit 16 the logarithm of the target's alignment, from bit 24 that of
// the source's.
MUSA_SIM_EXPORT void __musa_sim_check_copy(const void* target, const void* source,
                                           std::uint64_t size, std::uint32_t flags,
                                           const char* location);
// Asynchronous copies to shared memory (musa_sim/async_copies.h), which are made when they are started: after each of them; at the
// end of a group; and when the calling thread has waited for all its groups but the last `left`.
MUSA_SIM_EXPORT void __musa_sim_check_copy_started(const void* to, unsigned long long bytes);
MUSA_SIM_EXPORT void __musa_sim_check_copies_committed();
MUSA_SIM_EXPORT void __musa_sim_check_copies_awaited(unsigned left);
// Accesses of the calling thread before it releases an object happen before those of a thread after it acquires the object
// later. `object` is an address.
MUSA_SIM_EXPORT void __musa_sim_check_released(const void* object);
MUSA_SIM_EXPORT void __musa_sim_check_acquired(const void* object);
// Before a matrix instruction reads an operand from the registers of the calling thread.
MUSA_SIM_EXPORT void __musa_sim_check_operand(const void* registers, unsigned long long bytes,
                                              int is_floating);
// malloc and free of kernels.
MUSA_SIM_EXPORT void* __musa_sim_check_malloc(std::size_t size);
MUSA_SIM_EXPORT void __musa_sim_check_free(void* memory);

[[noreturn]] MUSA_SIM_EXPORT void __musa_sim_assert_fail(const char* expression, const char* file,
                                                         unsigned line, const char* function);
// The standard library would throw: `type` names the exception, `what` is its message or nullptr.
[[noreturn]] MUSA_SIM_EXPORT void __musa_sim_throw(const char* type, const char* what);
// abort() in device code.
[[noreturn]] MUSA_SIM_EXPORT void __musa_sim_abort();

// musaLaunchHostFunc for the SDK's own libraries, whose work is the device's: it may touch device
// memory. The function is called once, or each time that the graph which captured it is launched;
// `discard` is called in the end, on any thread. The result is a musaError_t. If it is not
// musaSuccess, neither is called. `name`, for profilers: as it is, or what typeid says of the work.
// It must stay.
MUSA_SIM_EXPORT int __musa_sim_launch_library_work(void* stream, void (*function)(void*),
                                                   void (*discard)(void*), void* data,
                                                   const char* name);
// For the driver API. Fill a rectangle with elements of 1, 2 or 4 bytes; pitch and width in bytes. The result is a musaError_t.
MUSA_SIM_EXPORT int __musa_sim_fill(void* to, unsigned long long pitch, unsigned value,
                                    unsigned long long element_bytes, unsigned long long width,
                                    unsigned long long height, void* stream, bool awaited);
// Whether the thread's next call that works in the default stream works in that of the thread (musaStreamPerThread).
MUSA_SIM_EXPORT void __musa_sim_default_of_thread(bool whether);
// Later work of the stream waits until holds(data) is not 0 after its earlier work; it is called again and again, on a thread of
// the runtime. discard(data) is called in the end. If the result, a musaError_t, is not musaSuccess, neither is called.
MUSA_SIM_EXPORT int __musa_sim_wait_until(void* stream, int (*holds)(void*), void (*discard)(void*), void* data);
// Read the arguments of a kernel from the buffer that `extra` names (MU_LAUNCH_PARAM_...), and call launch() with an array of
// them. The result is a musaError_t: that of launch(), if it is called.
MUSA_SIM_EXPORT int __musa_sim_unpack_arguments(const void* kernel, void** extra,
                                                int (*launch)(void** arguments, void* data), void* data);
// The allocation that an address lies in, and a number that no other has; false if it lies in none.
MUSA_SIM_EXPORT bool __musa_sim_find_allocation(const void* address, const void** begin, unsigned long long* size,
                                                unsigned long long* number);

// Registration, called by the constructors that clang writes into every object with kernels. The
// signatures are those of the CUDA runtime, because clang generates the calls.
MUSA_SIM_EXPORT void** __musaRegisterFatBinary(void* wrapper);
MUSA_SIM_EXPORT void __musaRegisterFatBinaryEnd(void** handle);
MUSA_SIM_EXPORT void __musaUnregisterFatBinary(void** handle);
MUSA_SIM_EXPORT int __musaRegisterFunction(void** handle, const void* host_stub,
                                           char* device_function, const char* device_name,
                                           int thread_limit, void* thread_id, void* block_id,
                                           void* block_dim, void* grid_dim, int* warp_size);
MUSA_SIM_EXPORT void __musaRegisterVar(void** handle, char* host_variable, char* device_address,
                                       const char* device_name, int is_external, std::size_t size,
                                       int is_constant, int is_global);
// The same for a __managed__ variable: its object is the host's. Images refer to it by its device
// name, as an undefined symbol.
MUSA_SIM_EXPORT void __musa_sim_register_managed(void** handle, char* host_variable,
                                                 char* device_address, const char* device_name,
                                                 int is_external, std::size_t size,
                                                 int is_constant, int is_global);
}

namespace musa_sim {

static_assert(offsetof(__musa_sim_context_t, block_idx) == 16, "mcc reads the context by offset");
static_assert(offsetof(__musa_sim_context_t, dynamic_shared) == 64,
              "mcc reads the context by offset");
static_assert(offsetof(__musa_sim_context_t, warp_size) == 72, "mcc reads the context by offset");
static_assert(offsetof(__musa_sim_context_t, location) == 80, "mcc writes the context by offset");

enum class ThreadsReduction : int { count = 0, all = 1, any = 2 };
enum class ShuffleKind : int { index = 0, up = 1, down = 2, exclusive_or = 3 };
enum class LanesOperation : int {
    sync = 0,
    shuffle = 1,
    ballot = 2,
    match_any = 3,
    match_all = 4,
    group_sync = 5,  // of lanes that must not have exited
};
enum class VoteOperation : int { all = 0, any = 1 };

// A kernel that mcc has split (musa_sim/mcc/passes/block_drivers.py). At a suspend point one of its
// threads waits, or has made one step of a grid-stride loop.
enum class SuspendOperation : std::uint8_t {
    barrier = 0,
    barrier_count = 1,
    barrier_all = 2,
    barrier_any = 3,
    step = 4,  // the thread can be resumed at once
    sync = 5,
    group_sync = 6,
    shuffle = 7,
    ballot = 8,
    vote_all = 9,
    vote_any = 10,
    match_any = 11,
    match_all = 12,
    converge = 13,
    together = 14,  // LaneWork
};
// The operands that each thread leaves in the mailbox; the others are the same for all.
inline constexpr std::uint8_t varies_mask = 1, varies_argument = 2, varies_width = 4;
inline constexpr std::uint32_t suspend_warp_width = 0x80000000u;  // as a width: that of the warp
struct SuspendPoint {
    SuspendOperation operation;
    std::uint8_t kind;       // ShuffleKind
    std::uint8_t varies;     // varies_mask, ...
    std::uint8_t own_lanes;  // __musa_sim_sync_lanes
    std::uint32_t mask;
    std::int32_t argument;
    std::int32_t width;
};
// The part of a lane in work that one thread does for all 32 lanes (musa_sim/lane_exchange.h). The work gets the parts of
// all lanes.
struct LaneWork {
    void (*run_for_lanes)(void* const* lanes);
};
inline constexpr std::uint32_t split_max_threads = 1024;
// Threads of a block leave their operands here when they suspend, and find their results here when they
// resume, by rank. The arrays are apart by more than a power of two, so that they share no cache sets.
struct WarpMailbox {
    std::uint8_t points[split_max_threads + 64];  // offset 0: number of the suspend point, from 1; 0: exited
    std::uint64_t values[split_max_threads + 8];  // offset 1088
    std::uint64_t results[split_max_threads + 8];   // offset 9344
    std::uint32_t masks[split_max_threads + 16];    // offset 17600
    std::int32_t arguments[split_max_threads + 16]; // offset 21760
    std::int32_t widths[split_max_threads + 16];    // offset 25920
};
static_assert(offsetof(WarpMailbox, values) == 1088 && offsetof(WarpMailbox, results) == 9344 &&
                  offsetof(WarpMailbox, masks) == 17600 &&
                  offsetof(WarpMailbox, arguments) == 21760 &&
                  offsetof(WarpMailbox, widths) == 25920,
              "mcc writes the mailbox by offset");
// Runs `count` threads from one suspend point to the next, or from their start. The first has rank `first` and index
// (x, y, z).
using ResumeBlock = void (*)(void** arguments, char* frames, WarpMailbox* mailbox,
                             std::uint32_t first, std::uint32_t count, std::uint32_t x,
                             std::uint32_t y, std::uint32_t z);
// The same for some lanes of a warp, given by their distance from rank `first`.
using ResumeLanes = void (*)(void** arguments, char* frames, WarpMailbox* mailbox,
                             std::uint32_t first, std::uint32_t count, const std::uint8_t* lanes);
struct SplitKernel {
    std::uint64_t frame_size;    // of a thread; a multiple of 16 and of its alignment, at most 64
    std::uint32_t columns_size;  // instead of frames: the values of split_max_threads threads
    std::uint32_t resume_block_count;  // 1: one for all suspend points
    std::uint8_t has_warp_operations;
    std::uint8_t has_reductions;  // __syncthreads_count, _and, _or
    std::uint8_t unused_too[6];
    const SuspendPoint* suspend_points;
    ResumeBlock start;
    const ResumeBlock* resume_blocks;  // by the number of the suspend point
    const ResumeLanes* resume_lanes;   // the same; nullptr if diverged lanes are resumed one by one
    // Runs all threads but the first as a plain loop; only for kernels that wait nowhere: if the
    // first has exited at once, the others do, too.
    void (*plain_loop)(void** arguments);
};
static_assert(sizeof(SuspendPoint) == 16 && sizeof(SplitKernel) == 64, "mcc writes these layouts");

// Functions of a device image, by the mangled device name K of a kernel.
using KernelEntry = void (*)(void** arguments);
inline constexpr char entry_prefix[] = "__musa_sim_entry_";  // KernelEntry: one thread
inline constexpr char loop_prefix[] = "__musa_sim_loop_";    // KernelEntry: a whole block; optional
// long long[]: the number of C++ parameters, then the bytes of each; -1 for one that is known by its address only. Then the
// alignment of each; negative: at least so much, at most 8.
inline constexpr char argument_sizes_prefix[] = "__musa_sim_argument_sizes_";
inline constexpr char static_shared_prefix[] =
    "__musa_sim_static_shared_";  // unsigned long long, bytes; optional

inline constexpr char launch_bounds_prefix[] =
    "__musa_sim_launch_bounds_";  // unsigned, the most threads of a block; optional

enum AccessFlags : unsigned {
    access_read = 1,
    access_write = 2,
    access_atomic = 4,
    access_carry = 8,  // a read that moves the value on, be it written or not
};

// Checked builds: a function per kernel that calls visit() for each static shared variable of the
// kernel, at the addresses of the calling thread; and the variables of the module in global memory,
// ended by a null address.
using SharedVisit = void (*)(void* state, void* address, std::uint64_t size, const char* name);
using SharedVariables = void (*)(SharedVisit visit, void* state);
// The paths by which images are loaded start so: they are files in memory.
inline constexpr char image_path_prefix[] = "/proc/self/fd/";
inline constexpr char shared_variables_prefix[] = "__musa_sim_shared_";
struct GlobalVariable {
    const void* address;
    std::uint64_t size;
    const char* name;  // mangled
};
inline constexpr char global_variables[] = "__musa_sim_globals";

// The argument of __musaRegisterFatBinary.
struct FatBinaryWrapper {
    std::int32_t magic;
    std::int32_t version;
    const void* data;  // FatBinaryHeader
    void* unused;
};
inline constexpr std::int32_t fat_binary_wrapper_magic = 0x466243B1;

// Header, then `count` entries, then the ELF images.
struct FatBinaryHeader {
    char magic[8];  // the last character: a version of what images and libmusart share
    std::uint32_t count;
    std::uint16_t checks;  // bits of Check (active_checks.h); 0: the images are not instrumented
    std::uint16_t cpu;     // that the images need (cpu_features.h); 0: any x86-64
};
struct FatBinaryEntry {
    char arch[16];         // "mp_22", padded with zero bytes
    std::uint64_t offset;  // from the header
    std::uint64_t size;
};
// Whether a fat binary's images can run here. Version 3 added columns to SplitKernel.
inline bool is_known(const FatBinaryHeader& header) {
    const std::string_view magic(header.magic, sizeof header.magic);
    return magic == "MUSASIM2" || magic == "MUSASIM3";
}
static_assert(sizeof(FatBinaryHeader) == 16 && sizeof(FatBinaryEntry) == 32,
              "mcc writes these layouts");

}  // namespace musa_sim
