// Device memory of programs without checks, in pages that hold nothing else, so that other processes can map them.
//
// A slab has blocks of one size. Sizes have eight steps from one power of two to the next. A large slab has one block. Slabs
// in which nothing is allocated are kept up to `most_kept` bytes: their pages need no further page faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "memory/file_backing.h"

namespace musa_sim {

class DeviceHeap {
public:
    static DeviceHeap& instance();

    // Blocks are aligned to 512 bytes. nullptr if the system has no more memory.
    void* allocate(std::size_t bytes);
    // A block that allocate() returned.
    void release(void* block);
    // The file that the pages of the block lie in from now on, or its errors' -1. Nothing writes to them meanwhile.
    FilePages share(const void* block);
    bool is_shared(const void* block) { return slab_of(reinterpret_cast<std::uintptr_t>(block)).file >= 0; }
    // In a child of fork(): shared slabs are its parent's, so it gets copies.
    void keep_private();

private:
    struct Slab {
        std::uintptr_t begin;
        std::size_t bytes;
        std::size_t block_size;
        std::vector<std::uint32_t> free;  // numbers of blocks
        int file = -1;

        std::size_t blocks() const { return bytes / block_size; }
        bool is_empty() const { return free.size() == blocks(); }
    };

    Slab* add_slab(std::size_t block_size);
    Slab& slab_of(std::uintptr_t block);
    void drop(const Slab& slab);

    static constexpr std::size_t most_kept = std::size_t{64} << 20;

    // MemoryTable, which alone calls this, holds its mutex.
    std::map<std::uintptr_t, Slab> slabs_;                   // by where they begin
    std::map<std::size_t, std::vector<Slab*>> with_free_;  // by size of blocks
    std::size_t kept_ = 0;                                   // bytes of empty slabs
};

}  // namespace musa_sim
