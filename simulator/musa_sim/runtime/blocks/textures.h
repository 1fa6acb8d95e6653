// Texture and surface objects by their handles, for kernels and for the API.
//
// Kernels look objects up without a lock. So the description of a destroyed object stays in its slot until another object
// takes the slot; the number in the handle says which of them is meant. The API forgets an object when it is destroyed,
// kernels when those that were launched before are done.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/api.h"

namespace musa_sim {

// A box of elements in memory.
struct ElementBox {
    const char* data = nullptr;
    long long size[3] = {1, 1, 1};  // elements
    std::size_t pitch = 0;          // bytes from row to row
    std::size_t slice = 0;
};

// A view of memory as a texture or a surface.
struct ViewFacts : ElementBox {
    int device = 0;
    std::shared_ptr<const std::vector<ElementBox>> levels;  // of a mipmapped array, its first one included
    std::size_t element_bytes = 0;
    int components = 0;
    bool is_linear = false;  // plain memory: only tex1Dfetch reads it
    unsigned layout = 0;     // musaArrayLayered, musaArrayCubemap
    bool gives_floats = false;
    musaChannelFormatDesc desc{};
    musaResourceDesc resource{};
    bool is_restricted = false;  // by a description of a view
    musaResourceViewDesc restriction{};
    musaTextureDesc texture{};
};

struct View : ViewFacts {
    std::atomic<unsigned long long> number{0};  // 0: no object
    std::atomic<bool> is_destroyed{false};
};

class Views {
public:
    static Views& textures();
    static Views& surfaces();

    // 0 if there are too many. describe(view) writes the facts.
    template <class Describe>
    unsigned long long add(Describe&& describe) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (free_.empty() && used_ == slots_.size()) return 0;
        const std::size_t slot = free_.empty() ? used_++ : take_free();
        if (!slots_[slot].load(std::memory_order_relaxed)) slots_[slot] = new View();
        View& view = *slots_[slot];
        describe(view);
        view.is_destroyed = false;
        const unsigned long long number = (++last_ << slot_bits) | slot;
        view.number.store(number, std::memory_order_release);
        return number;
    }
    // The object is no more, but for kernels; false if there is none.
    bool destroy(unsigned long long number);
    // Of a destroyed object: kernels do not find it any longer, and its slot is free.
    void release(unsigned long long number);
    // nullptr if there is none.
    const View* find_alive(unsigned long long number) const {
        const View* view = find(number);
        return view && !view->is_destroyed ? view : nullptr;
    }
    // The same for kernels.
    const View* find(unsigned long long number) const {
        const View* view = slots_[number & (slots_.size() - 1)].load(std::memory_order_acquire);
        return number != 0 && view && view->number.load(std::memory_order_acquire) == number ? view
                                                                                             : nullptr;
    }

    std::mutex& mutex() { return mutex_; }

private:
    static constexpr unsigned slot_bits = 14;

    std::size_t take_free() {
        const std::size_t slot = free_.back();
        free_.pop_back();
        return slot;
    }

    std::mutex mutex_;
    std::array<std::atomic<View*>, std::size_t{1} << slot_bits> slots_{};
    std::vector<std::size_t> free_;
    std::size_t used_ = 0;
    unsigned long long last_ = 0;
};

}  // namespace musa_sim
