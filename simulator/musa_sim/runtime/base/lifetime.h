// Lifetimes. Every object of libmusart and of the libraries above it that outlives a call is made here.
//
// Programs use the API until the process is gone: in handlers of atexit(), in destructors of static
// and thread_local objects, on threads that run on while another one ends the process. Streams and
// workers then still run as well. So no object of ours may be destroyed while a thread can reach it:
//
// - leaked<T>(): an object of the process. It is never destroyed.
// - PerThread<T>: an object of a thread. It is destroyed when the thread ends, after all of the
//   thread's thread_local objects. A thread that ends the process keeps its object.
//
// The compiler's own static and thread_local objects keep to that only if they need no destructor:
// numbers, pointers, atomics. They live as long as the process or the thread. libmusart has these,
// beside references and pointers to what leaked() made:
//
// - of a thread: __musa_sim_context (device_abi), active_ (scheduler), thread_device,
//   thread_error, inside (devices), next_is_of_thread (streams), mode (capture),
//   escape_of_library (fault_handlers), mine_ (here)
// - of the process, set once: key (here), base (call_stack), value (active_checks, schedule_order),
//   once, actions (fault_handlers), registered (findings), library (entry_points_api), said (refused_api)
// - of the process, counted or switched: checks, warned (active_checks), next_number (images),
//   number (schedule_order)
//
// tests/sim/runtime/test_lifetime.py holds this list against the sources, test_at_exit.py looks for
// destructors in the libraries' symbols. The libraries are never unloaded (sdk_root.py links them
// with nodelete).
#pragma once

#include <pthread.h>

#include <utility>

#include "base/device_abi.h"

namespace musa_sim {

template <class T, class... Arguments>
T& leaked(Arguments&&... arguments) {
    return *new T(std::forward<Arguments>(arguments)...);
}

template <class T>
class PerThread {
public:
    // The calling thread's object, made at its first use.
    static T& get() { return __builtin_expect(mine_ != nullptr, 1) ? *mine_ : make(); }

private:
    // Not the destructor of a thread_local object: exit() calls those before everything else, and
    // in a thread that ends, others of them may come after it. The system calls destroy() after all
    // of them, and not at all at exit().
    static T& make() {
        static const pthread_key_t key = make_key();
        mine_ = new T();
        pthread_setspecific(key, mine_);
        return *mine_;
    }
    static pthread_key_t make_key() {
        pthread_key_t key{};
        pthread_key_create(&key, destroy);
        return key;
    }
    // A later use makes a new object, and the system calls this function again.
    static void destroy(void* object) {
        mine_ = nullptr;
        delete static_cast<T*>(object);
    }

    // Read by every call; the model makes it one instruction.
    static inline thread_local T* mine_ MUSA_SIM_INITIAL_EXEC = nullptr;
};

}  // namespace musa_sim
