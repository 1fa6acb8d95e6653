// Objects of the program that graphs keep alive: counted references, of which the last one calls a function of the program.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "base/api.h"

struct MUuserObject_st {
    void* data;
    musaHostFn_t destroy;
    unsigned references;
};

namespace musa_sim {

class UserObjects {
public:
    static UserObjects& instance();

    musaUserObject_t create(void* data, musaHostFn_t destroy, unsigned references);
    // musaErrorInvalidValue for handles that are none, and for more references than there are.
    musaError_t retain(musaUserObject_t object, unsigned count);
    musaError_t release(musaUserObject_t object, unsigned count);
    // Whether there are so many.
    musaError_t check(musaUserObject_t object, unsigned count);

    std::mutex& mutex() { return mutex_; }  // for fork()

private:
    std::mutex mutex_;
    std::map<musaUserObject_t, std::unique_ptr<MUuserObject_st>> objects_;
};

// The references of a graph. A copy has as many of its own.
class UserObjectReferences {
public:
    UserObjectReferences() = default;
    UserObjectReferences(const UserObjectReferences& other);
    UserObjectReferences(UserObjectReferences&& other) noexcept;
    UserObjectReferences& operator=(UserObjectReferences other) noexcept;
    ~UserObjectReferences();

    // Own so many references more, which exist.
    void add(musaUserObject_t object, unsigned count);
    // musaErrorInvalidValue if there are less.
    musaError_t release(musaUserObject_t object, unsigned count);

private:
    std::map<musaUserObject_t, unsigned> counts_;
};

}  // namespace musa_sim
