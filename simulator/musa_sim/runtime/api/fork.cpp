// A child of fork() can launch kernels although the threads of its parent do not exist in it.
//
// Work in flight is completed first, so that both processes continue from the same state. All locks
// are taken before the fork, so that none is held by a thread the child does not have. The order is
// that in which the library itself nests them.
#include <pthread.h>

#include <new>

#include "base/findings.h"
#include "base/small_tables.h"
#include "blocks/textures.h"
#include "blocks/worker_pool.h"
#include "memory/arrays.h"
#include "memory/device_heap.h"
#include "memory/device_ranges.h"
#include "memory/guarded_memory.h"
#include "memory/managed_advice.h"
#include "memory/memory_pools.h"
#include "memory/memory_table.h"
#include "memory/peer_access.h"
#include "memory/stand_ins.h"
#include "memory/virtual_memory.h"
#include "programs/registry.h"
#include "streams/activity.h"
#include "streams/capture.h"
#include "streams/conditions.h"
#include "streams/events.h"
#include "streams/streams.h"

namespace musa_sim {
namespace {

void unlock_tables() {
    Activities::instance().mutex().unlock();
    Findings::instance().mutex().unlock();
    Conditions::instance().mutex().unlock();
    GuardedMemory::instance().mutex().unlock();
    DeviceRanges::instance().mutex().unlock();
    Executable::sweeping().unlock();
    live_executables().mutex().unlock();
    live_graphs().mutex().unlock();
    UserObjects::instance().mutex().unlock();
    live_events().mutex().unlock();
    live_streams().mutex().unlock();
    StandIns::instance().mutex().unlock();
    PeerAccess::instance().mutex().unlock();
    MemoryTable::instance().mutex().unlock();
    VirtualMemory::instance().mutex().unlock();
    MemoryPools::instance().mutex().unlock();
    live_arrays().mutex().unlock();
    live_mipmapped_arrays().mutex().unlock();
    Views::textures().mutex().unlock();
    Views::surfaces().mutex().unlock();
    ManagedAdvice::instance().mutex().unlock();
    Registry::instance().mutex().unlock();
}

void unlock_graphs() {
    Executable::launching().unlock();
    small_tables().unlock();
    Captures::instance().mutex().unlock();
}

void before_fork() {
    Captures::instance().mutex().lock();
    small_tables().lock();
    Executable::launching().lock();
    StreamQueues::instance().before_fork();
    WorkerPool::instance().before_fork();
    device_work().lock();
    Registry::instance().mutex().lock();
    Views::surfaces().mutex().lock();
    Views::textures().mutex().lock();
    live_mipmapped_arrays().mutex().lock();
    live_arrays().mutex().lock();
    ManagedAdvice::instance().mutex().lock();
    MemoryPools::instance().mutex().lock();
    VirtualMemory::instance().mutex().lock();
    MemoryTable::instance().mutex().lock();
    PeerAccess::instance().mutex().lock();
    StandIns::instance().mutex().lock();
    live_streams().mutex().lock();
    live_events().mutex().lock();
    UserObjects::instance().mutex().lock();
    live_graphs().mutex().lock();
    live_executables().mutex().lock();
    Executable::sweeping().lock();
    DeviceRanges::instance().mutex().lock();
    GuardedMemory::instance().mutex().lock();
    Conditions::instance().mutex().lock();
    Findings::instance().mutex().lock();
    Activities::instance().mutex().lock();
}

void after_fork_in_parent() {
    unlock_tables();
    device_work().unlock();
    WorkerPool::instance().after_fork_in_parent();
    StreamQueues::instance().after_fork_in_parent();
    unlock_graphs();
}

void after_fork_in_child() {
    DeviceHeap::instance().keep_private();
    GuardedMemory::instance().keep_private();
    unlock_tables();
    // Such a lock knows its thread, which has another number in the child.
    new (&device_work()) std::shared_mutex;
    WorkerPool::after_fork_in_child();
    Findings::instance().forget();
    Activities::instance().after_fork_in_child();
    GuardedMemory::instance().forget_leaks();
    Conditions::instance().after_fork_in_child();
    StreamQueues::instance().after_fork_in_child();
    unlock_graphs();
}

struct ForkHandlers {
    ForkHandlers() { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }
} const fork_handlers;

}  // namespace
}  // namespace musa_sim
