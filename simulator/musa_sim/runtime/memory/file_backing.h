// Memory of the process as a file, so that other processes can map it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace musa_sim {

struct Pages {
    std::uintptr_t begin;
    std::size_t bytes;
};
// Pages, and the file that they are mapped from; -1: there is none.
struct FilePages {
    Pages pages;
    int file;
};
// Move what is in the pages into a file, which is mapped there from then on. No thread writes to them meanwhile. Returns the
// file, or -1.
int move_into_file(const Pages& pages);
// Map a copy of the file there, which is made page by page as they are written, and close the file.
void map_privately(const Pages& pages, int file);

// A file of a process, as others of the machine find it.
struct SharedFile {
    std::int32_t process;
    std::int32_t file;
    std::uint64_t inode;  // tells a reused descriptor from the original file
};
// Of this process.
SharedFile shared_file(int file);
bool is_same_file(int file, const SharedFile& shared);
// Open the same file in this process; -1 if the other process or its file is gone.
int open_shared(const SharedFile& shared);

}  // namespace musa_sim
