// Switching between stacks. The implementation is a dozen instructions of assembly per processor
// family.
#pragma once

extern "C" {

// Save the callee-saved registers and the stack pointer of the running stack in *save, and resume
// the stack saved in `to`.
void musa_sim_fiber_switch(void** save, void* to);

// The second half of the switch: the running stack is abandoned. Also entered from a signal
// handler, which only sets the instruction pointer and the argument.
[[noreturn]] void musa_sim_fiber_jump(void* to);
}

namespace musa_sim {

// Prepare a stack, whose highest address is `top`, so that switching to the returned value calls
// body(argument). The body must never return.
void* new_fiber(char* top, void (*body)(void*), void* argument);

}  // namespace musa_sim
