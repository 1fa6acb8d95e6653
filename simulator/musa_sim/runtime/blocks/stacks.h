// The stacks on which the threads of a block run: mapped when first needed, kept until the worker
// ends.
#pragma once

#include <cstddef>
#include <vector>

namespace musa_sim {

class Stacks {
public:
    Stacks() = default;
    ~Stacks();
    Stacks(const Stacks&) = delete;
    Stacks& operator=(const Stacks&) = delete;

    // The highest address of stack number `index`; nullptr if the system has no more memory
    // mappings to give.
    char* top(std::size_t index);
    // Whether the address lies in the guard page below a stack: the mark of a stack overflow.
    bool is_guard(const void* address) const;

private:
    std::vector<char*> mappings_;  // each one guard page, then the stack
    int guards_ = 0;               // of them that are protected
};

}  // namespace musa_sim
