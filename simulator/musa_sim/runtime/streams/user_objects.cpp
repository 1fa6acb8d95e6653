#include "streams/user_objects.h"

#include <utility>

#include "base/lifetime.h"
#include "streams/host_call.h"

namespace musa_sim {

UserObjects& UserObjects::instance() {
    static auto& objects = leaked<UserObjects>();
    return objects;
}

musaUserObject_t UserObjects::create(void* data, musaHostFn_t destroy, unsigned references) {
    auto made = std::make_unique<MUuserObject_st>(MUuserObject_st{data, destroy, references});
    const musaUserObject_t handle = made.get();
    std::lock_guard<std::mutex> lock(mutex_);
    objects_[handle] = std::move(made);
    return handle;
}

musaError_t UserObjects::retain(musaUserObject_t object, unsigned count) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(object);
    if (found == objects_.end() || count == 0) return musaErrorInvalidValue;
    found->second->references += count;
    return musaSuccess;
}

musaError_t UserObjects::check(musaUserObject_t object, unsigned count) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(object);
    return found != objects_.end() && count > 0 && count <= found->second->references ? musaSuccess
                                                                                      : musaErrorInvalidValue;
}

musaError_t UserObjects::release(musaUserObject_t object, unsigned count) {
    std::unique_ptr<MUuserObject_st> last;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found = objects_.find(object);
        if (found == objects_.end() || count == 0 || count > found->second->references)
            return musaErrorInvalidValue;
        found->second->references -= count;
        if (found->second->references > 0) return musaSuccess;
        last = std::move(found->second);
        objects_.erase(found);
    }
    call_host([&] { last->destroy(last->data); });
    return musaSuccess;
}

UserObjectReferences::UserObjectReferences(const UserObjectReferences& other) {
    for (const auto& [object, count] : other.counts_) {
        UserObjects::instance().retain(object, count);
        add(object, count);
    }
}

UserObjectReferences::UserObjectReferences(UserObjectReferences&& other) noexcept {
    counts_.swap(other.counts_);
}

UserObjectReferences& UserObjectReferences::operator=(UserObjectReferences other) noexcept {
    counts_.swap(other.counts_);
    return *this;
}

UserObjectReferences::~UserObjectReferences() {
    for (const auto& [object, count] : counts_) UserObjects::instance().release(object, count);
}

void UserObjectReferences::add(musaUserObject_t object, unsigned count) { counts_[object] += count; }

musaError_t UserObjectReferences::release(musaUserObject_t object, unsigned count) {
    const auto found = counts_.find(object);
    if (found == counts_.end() || count == 0 || count > found->second) return musaErrorInvalidValue;
    found->second -= count;
    if (found->second == 0) counts_.erase(found);
    return UserObjects::instance().release(object, count);
}

}  // namespace musa_sim
