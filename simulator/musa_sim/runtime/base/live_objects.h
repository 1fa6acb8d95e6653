// Handles of the API, and the objects behind them.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace musa_sim {

// Live handles. A dead handle is never dereferenced; the object that find() returned stays valid
// although another thread destroys it.
template <class Object>
class LiveObjects {
public:
    Object* add(Object object) {
        auto created = std::make_shared<Object>(std::move(object));
        std::lock_guard<std::mutex> lock(mutex_);
        objects_.emplace(created.get(), created);
        return created.get();
    }
    // nullptr if there is none; the object ends with the returned pointer.
    std::shared_ptr<Object> remove(Object* handle) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = objects_.find(handle);
        if (found == objects_.end()) return nullptr;
        std::shared_ptr<Object> object = std::move(found->second);
        objects_.erase(found);
        return object;
    }
    std::shared_ptr<Object> find(Object* handle) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second;
    }
    // An object for which the predicate holds; nullptr if there is none.
    template <class Predicate>
    std::shared_ptr<Object> find_if(Predicate&& predicate) {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found =
            std::find_if(objects_.begin(), objects_.end(),
                         [&](const auto& entry) { return predicate(*entry.second); });
        return found == objects_.end() ? nullptr : found->second;
    }
    std::mutex& mutex() { return mutex_; }

private:
    std::mutex mutex_;
    std::unordered_map<Object*, std::shared_ptr<Object>> objects_;
};

}  // namespace musa_sim
