#include "memory/device_heap.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "base/host_memory.h"
#include "base/lifetime.h"

namespace musa_sim {
namespace {

constexpr std::size_t smallest_block = 512;
constexpr std::size_t slab_bytes = std::size_t{1} << 20;

std::size_t block_size_for(std::size_t bytes) {
    std::size_t step = smallest_block;
    while (step * 16 < bytes) step *= 2;
    return rounded(std::max(bytes, smallest_block), step);
}

}  // namespace

DeviceHeap& DeviceHeap::instance() {
    static DeviceHeap& heap = leaked<DeviceHeap>();
    return heap;
}

DeviceHeap::Slab* DeviceHeap::add_slab(std::size_t block_size) {
    const std::size_t count = std::max<std::size_t>(slab_bytes / block_size, 1);
    const std::size_t bytes = rounded(count * block_size, page_size);
    void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    const auto begin = reinterpret_cast<std::uintptr_t>(pages);
    Slab& slab = slabs_[begin] = {begin, bytes, block_size, std::vector<std::uint32_t>(bytes / block_size)};
    std::iota(slab.free.rbegin(), slab.free.rend(), 0);  // the first block is taken first
    with_free_[block_size].push_back(&slab);
    kept_ += bytes;
    return &slab;
}

void* DeviceHeap::allocate(std::size_t bytes) {
    const std::size_t block_size = block_size_for(bytes);
    std::vector<Slab*>& slabs = with_free_[block_size];
    Slab* const slab = slabs.empty() ? add_slab(block_size) : slabs.back();
    if (!slab) return nullptr;
    if (slab->is_empty()) kept_ -= slab->bytes;
    const std::uint32_t number = slab->free.back();
    slab->free.pop_back();
    if (slab->free.empty()) slabs.pop_back();
    return reinterpret_cast<void*>(slab->begin + number * slab->block_size);
}

DeviceHeap::Slab& DeviceHeap::slab_of(std::uintptr_t block) { return std::prev(slabs_.upper_bound(block))->second; }

void DeviceHeap::release(void* block) {
    const auto at = reinterpret_cast<std::uintptr_t>(block);
    Slab& slab = slab_of(at);
    if (slab.free.empty()) with_free_[slab.block_size].push_back(&slab);
    slab.free.push_back(static_cast<std::uint32_t>((at - slab.begin) / slab.block_size));
    if (!slab.is_empty()) return;
    // Other processes may still map a shared slab.
    if (slab.file >= 0 || kept_ + slab.bytes > most_kept)
        drop(slab);
    else
        kept_ += slab.bytes;
}

void DeviceHeap::drop(const Slab& slab) {
    std::vector<Slab*>& slabs = with_free_[slab.block_size];
    slabs.erase(std::find(slabs.begin(), slabs.end(), &slab));
    munmap(reinterpret_cast<void*>(slab.begin), slab.bytes);
    if (slab.file >= 0) close(slab.file);
    slabs_.erase(slab.begin);
}

void DeviceHeap::keep_private() {
    for (auto& [begin, slab] : slabs_) {
        if (slab.file < 0) continue;
        map_privately({slab.begin, slab.bytes}, slab.file);
        slab.file = -1;
    }
}

FilePages DeviceHeap::share(const void* block) {
    Slab& slab = slab_of(reinterpret_cast<std::uintptr_t>(block));
    const Pages pages{slab.begin, slab.bytes};
    if (slab.file < 0) slab.file = move_into_file(pages);
    return {pages, slab.file};
}

}  // namespace musa_sim
