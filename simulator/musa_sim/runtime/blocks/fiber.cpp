#include "blocks/fiber.h"

#include <cstdint>
#include <cstring>

extern "C" void musa_sim_fiber_start();

namespace musa_sim {

void* new_fiber(char* top, void (*body)(void*), void* argument) {
    // The order in which musa_sim_fiber_jump pops, then the address it returns to.
    struct InitialFrame {
        std::uint64_t r15, r14, r13, r12, rbx, rbp;
        void (*return_address)();
    };
    static_assert(sizeof(InitialFrame) == 56, "the assembly relies on this layout");

    char* aligned =
        reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{63});
    InitialFrame frame{};
    frame.r12 = reinterpret_cast<std::uint64_t>(argument);
    frame.rbx = reinterpret_cast<std::uint64_t>(body);
    frame.return_address = musa_sim_fiber_start;
    // Once the frame is popped the stack is aligned to 16 bytes, as the calling convention demands
    // where fiber_start makes its call.
    void* stack_pointer = aligned - 16 - sizeof frame;
    std::memcpy(stack_pointer, &frame, sizeof frame);
    return stack_pointer;
}

}  // namespace musa_sim
