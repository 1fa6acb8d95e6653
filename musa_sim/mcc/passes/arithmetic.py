"""Integer arithmetic that C++ leaves undefined, done as GPUs do it.

A shift by as many bits as there are, or more, shifts all of them out, as PTX's shl and shr do. A CPU takes the amount
modulo the width in one instruction and not in another, so the form of a kernel would decide. A division by zero, or of
the lowest number by -1, does not fault: the quotient and the remainder by zero have all bits set, as Direct3D demands
of GPUs, and the other quotient is the lowest number again. Counts of the zeros of 0 are the width, and the absolute
value of the lowest number is itself.
"""

from __future__ import annotations

from ..ir.integers import Operation, define_intrinsics, replace_integer_operations


def as_gpus(ir: str) -> str:
    """Give integer operations of a module fresh from clang a result for all operands."""
    count = 0

    def lines(operation: Operation) -> str:
        nonlocal count
        count += 1
        write = _shift if operation.kind == "shift" else _division
        return "" if _is_defined(operation) else write(operation, f"%musa.{operation.kind}.{{}}.{count}")

    return define_intrinsics(replace_integer_operations(ir, lines))


def _is_defined(operation: Operation) -> bool:
    right = operation.right_number
    if right is None:
        return False
    return 0 <= right < operation.bits if operation.kind == "shift" else right not in (0, -1)


def _shift(shift: Operation, name: str) -> str:
    fits, amount, shifted = (name.format(word) for word in ("fits", "amount", "shifted"))
    kind, truth, last = shift.type, shift.truth_type, shift.attachments
    code = f"  {fits} = icmp ult {kind} {shift.right}, {shift.constant(shift.bits)}\n"
    if shift.opcode.startswith("ashr"):
        return code + (
            f"  {amount} = select {truth} {fits}, {kind} {shift.right}, {kind} {shift.constant(shift.bits - 1)}\n"
            f"  {shift.result} = {shift.opcode} {kind} {shift.left}, {amount}{last}"
        )
    return code + (
        f"  {shifted} = {shift.opcode} {kind} {shift.left}, {shift.right}\n"
        f"  {shift.result} = select {truth} {fits}, {kind} {shifted}, {kind} {shift.constant(0)}{last}"
    )


def _division(division: Operation, name: str) -> str:
    zero, minus, special, divisor, divided, negated, value = (
        name.format(word) for word in ("zero", "minus", "special", "divisor", "divided", "negated", "value")
    )
    kind, truth = division.type, division.truth_type
    code = f"  {zero} = icmp eq {kind} {division.right}, {division.constant(0)}\n"
    if division.opcode.startswith("s"):
        code += (
            f"  {minus} = icmp eq {kind} {division.right}, {division.constant(-1)}\n"
            f"  {special} = or {truth} {zero}, {minus}\n"
        )
    else:
        special = zero
    code += (
        f"  {divisor} = select {truth} {special}, {kind} {division.constant(1)}, {kind} {division.right}\n"
        f"  {divided} = {division.opcode} {kind} {division.left}, {divisor}\n"
    )
    if division.opcode.startswith("sdiv"):
        code += (
            f"  {negated} = sub {kind} {division.constant(0)}, {division.left}\n"
            f"  {value} = select {truth} {minus}, {kind} {negated}, {kind} {divided}\n"
        )
    else:
        value = divided
    return code + (
        f"  {division.result} = select {truth} {zero}, {kind} {division.constant(-1)}, {kind} {value}"
        f"{division.attachments}"
    )
