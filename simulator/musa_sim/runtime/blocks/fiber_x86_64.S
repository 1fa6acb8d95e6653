// Stack switching for x86-64, System V calling convention. See fiber.h.
//
// The switch ends with `ret`, not with a jump to a popped address: the processor predicts returns by counting calls,
// and an unbalanced count makes every later return of the kernel a misprediction (measured: barriers take 7-9 ns with
// `ret`, 20-25 ns with `pop; jmp`). The floating point control words are not saved because kernels cannot change them.

#if !defined(__x86_64__)
#error "musa_sim: the fiber switch is written for x86-64 only; add fiber_<processor>.S for this one"
#endif

    .text

    .globl musa_sim_fiber_switch
    .hidden musa_sim_fiber_switch
    .type musa_sim_fiber_switch, @function
musa_sim_fiber_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size musa_sim_fiber_switch, . - musa_sim_fiber_switch

    .globl musa_sim_fiber_jump
    .hidden musa_sim_fiber_jump
    .type musa_sim_fiber_jump, @function
musa_sim_fiber_jump:
    movq %rdi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size musa_sim_fiber_jump, . - musa_sim_fiber_jump

// The first thing a new fiber runs: rbx holds the function, r12 its argument. Debuggers stop unwinding here.
    .globl musa_sim_fiber_start
    .hidden musa_sim_fiber_start
    .type musa_sim_fiber_start, @function
musa_sim_fiber_start:
    .cfi_startproc
    .cfi_undefined rip
    xorl %ebp, %ebp
    movq %r12, %rdi
    callq *%rbx
    ud2
    .cfi_endproc
    .size musa_sim_fiber_start, . - musa_sim_fiber_start

    .section .note.GNU-stack, "", @progbits
