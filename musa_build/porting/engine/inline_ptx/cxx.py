"""C++ for one asm statement.

A statement of one instruction becomes an assignment. Any other becomes a block that first reads the inputs, keeps
registers in variables, and writes the outputs last, so that outputs may be inputs as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from .ptx_syntax import Address, Brace, Instruction, Pair, PtxOperand, Registers, Scalar, Vector, parse, scalars
from .types import (
    CONSTRAINTS,
    F32,
    FUNCTION_NAMES,
    PREDICATE,
    TYPES,
    U32,
    U64,
    UNSIGNED,
    PtxType,
    Unportable,
    converted,
    lane_bytes,
    lane_mask,
    literal,
    selected,
)

if TYPE_CHECKING:
    from .statements import AsmStatement, Operand
    from .table import Match, OperandRule, Table

_OPERATORS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
    "and": "&&",
    "or": "||",
    "xor": "!=",
}
_ROUNDINGS = {"rn": "rn", "rz": "rz", "rm": "rd", "rp": "ru", "rna": "rna"}
_INTEGRAL = {"rni": "rn", "rzi": "rz", "rmi": "rd", "rpi": "ru"}
_COUNTS = {"v2": "2", "v4": "4", "v8": "8"}
# The name of a part of an instruction in the table -> its values in C++.
_MEANINGS = {
    "op": _OPERATORS,
    "join": _OPERATORS,
    "r": _ROUNDINGS,
    "i": _INTEGRAL,
    "n": _COUNTS,
    "sat": {"": "narrow", "sat": "saturate"},
    "po": {"": "0", "po": "1"},
    "scale": {"": "0", "shr7": "7", "shr15": "15"},
    "mode": {"trans": "true", "": "false"},
    "limit": {"satfinite": "true", "": "false"},
    "size": {"abs": "true", "": "false"},
}
_FENCES = {
    "cta": "__threadfence_block()",
    "cluster": "__threadfence()",
    "gpu": "__threadfence()",
    "sys": "__threadfence_system()",
}


class Variable(NamedTuple):
    """The C++ expression that holds a register, and its type. `is_users`: it has the user's type.

    `is_constant` is an operand with the constraint n.
    """

    cxx: str
    type: PtxType
    is_users: bool = False
    is_constant: bool = False


class Ported(NamedTuple):
    """The C++ of a statement, and the names of the instructions that it had."""

    cxx: str
    instructions: tuple[str, ...]


def ported(statement: AsmStatement, expression: Callable[[Operand], str], table: Table) -> Ported:
    """Return C++ for `statement`. `expression` gives the C++ of one of its operands.

    Raises:
        Unportable: It has to be rewritten by a person.
    """
    if statement.problem:
        raise Unportable(statement.problem)
    first, *others = [_ported(template, statement, expression, table) for template in statement.templates]
    if any(other.cxx != first.cxx for other in others):
        raise Unportable("a template with a macro that has several meanings")
    return first


def _ported(template: str, statement: AsmStatement, expression: Callable[[Operand], str], table: Table) -> Ported:
    items = list(parse(template))
    instructions = [item for item in items if isinstance(item, Instruction)]
    declared = [item for item in items if isinstance(item, Registers) and item.type == "pred"]
    predicates = frozenset(name for registers in declared for name in registers.names)
    matches = {id(item): _match(item, table, predicates) for item in instructions}
    writer = _Writer(statement, expression, table, matches)
    is_one = len(items) == 1 and len(instructions) == 1
    cxx = writer.assignment(instructions[0]) if is_one else ""
    cxx = cxx or writer.block(items)
    return Ported(cxx, tuple(instruction.name for instruction in instructions))


def _match(instruction: Instruction, table: Table, predicates: frozenset[str]) -> Match:
    match = table.find(instruction, predicates)
    if match is None:
        raise Unportable(instruction.name)
    return match


class _Writer:
    """Writes the C++ of one statement."""

    def __init__(
        self,
        statement: AsmStatement,
        expression: Callable[[Operand], str],
        table: Table,
        matches: Mapping[int, Match],
    ) -> None:
        self._statement = statement
        self._expression = expression
        self._table = table
        self._matches = matches
        self._scopes: list[dict[str, Variable]] = [{}]
        self._carry = ""  # not needed, "unset" before an instruction wrote it, or "set"
        self._needs_carry = False
        for operand in statement.operands:
            if operand.letter not in CONSTRAINTS and operand.letter != "n":
                raise Unportable(f"an operand with the constraint {operand.constraint}")

    # -- one instruction

    def assignment(self, instruction: Instruction) -> str:
        """Return C++ for a statement with one instruction; nothing if it takes a block."""
        match = self._matches[id(instruction)]
        written = [(rule, operand) for rule, operand in zip(match.operands, instruction.operands) if rule.is_written]
        simple = len(written) <= 1 and all(isinstance(operand, Scalar) for _, operand in written)
        if not simple or instruction.guard.text or self._fences(match) != ("", "") or "{carry" in match.cxx:
            return ""
        outputs = self._statement.outputs
        if len(outputs) != len(written) or any(output.constraint.startswith("+") for output in outputs):
            return ""
        if written and cast_scalar(written[0][1]).text != "%0":
            return ""
        if any(rule.parts == "lanes" for rule in match.operands):
            return ""
        self._bind(direct=True)
        if any(
            self._is_read_twice(rule, match, operand) for rule, operand in zip(match.operands, instruction.operands)
        ):
            return ""
        value = self._value(match, instruction)
        if not written:
            return value or "(void)0"
        rule, _ = written[0]
        register = CONSTRAINTS[outputs[0].letter]
        return self._stored(outputs[0], converted(value, self._type(rule.type, match), register, instruction.name))

    def _is_read_twice(self, rule: OperandRule, match: Match, operand: PtxOperand) -> bool:
        """Return whether the C++ would evaluate an operand's expression twice, and that is not just a name."""
        times = len(re.findall(rf"\{{{rule.name}(?:\.\.\.)?\}}", match.cxx))
        texts = [scalar.text for scalar in scalars(operand)]
        known = [self._scopes[0][text] for text in texts if text in self._scopes[0]]
        used = len(texts) != len(set(texts))
        return (times > 1 or used) and any(not re.fullmatch(r"\(?\w+\)?", variable.cxx) for variable in known)

    # -- several instructions

    def block(self, items: list[Instruction | Registers | Brace]) -> str:
        """Return C++ for a statement with these `items`."""
        self._bind(direct=False)
        body = list(self._lines(items))
        if not body:
            return "(void)0"
        statement = self._statement
        head = [self._declaration(i, operand) for i, operand in enumerate(statement.operands) if operand.letter != "n"]
        if self._needs_carry:
            head.append("bool ptx_carry = false;")
        tail = [f"{self._stored(output, f'ptx_{i}')};" for i, output in enumerate(statement.outputs)]
        newline = " \\\n    " if statement.in_macro else "\n    "
        end = newline[:-4] + "} while (0)"
        return "do {" + newline + newline.join([*head, *body, *tail]) + end

    def _declaration(self, index: int, operand: Operand) -> str:
        register = CONSTRAINTS[operand.letter]
        if operand.constraint.startswith("="):
            return f"{register.cxx} ptx_{index} = 0;"
        return f"{register.cxx} ptx_{index} = {self._read(operand, register)};"

    def _lines(self, items: list[Instruction | Registers | Brace]) -> Iterator[str]:
        for item in items:
            if isinstance(item, Brace):
                if item.opens:
                    self._scopes.append({})
                elif len(self._scopes) == 1:
                    raise Unportable("a block that is not opened")
                else:
                    self._scopes.pop()
                yield "{" if item.opens else "}"
            elif isinstance(item, Registers):
                yield from self._declared(item)
            else:
                yield from self._instruction(item)
        if len(self._scopes) != 1:
            raise Unportable("a block that is not closed")

    def _declared(self, registers: Registers) -> Iterator[str]:
        if registers.type not in TYPES:
            raise Unportable(f"a register of type .{registers.type}")
        type_ = TYPES[registers.type]
        for name in registers.names:
            variable = f"ptx_{re.sub(r'[^0-9A-Za-z_]', '_', name).lstrip('_')}"
            variable += "_" if re.fullmatch(r"ptx_(?:\d+|carry|result)", variable) else ""
            self._scopes[-1][name] = Variable(variable, type_)
            yield f"{type_.cxx} {variable} = {'false' if type_ is PREDICATE else '0'};"

    def _instruction(self, instruction: Instruction) -> Iterator[str]:
        match = self._matches[id(instruction)]
        body = "".join(self._effect(match, instruction))
        if not body:
            return
        before, after = self._fences(match)
        body = f"{before}{body}{after}"
        if instruction.guard.text:
            body = f"if ({self._scalar(instruction.guard, PREDICATE, instruction.name)}) {{ {body} }}"
        yield body

    def _effect(self, match: Match, instruction: Instruction) -> Iterator[str]:
        """Yield the statements that one instruction becomes."""
        value = self._value(match, instruction)
        results = [(rule, operand) for rule, operand in zip(match.operands, instruction.operands) if rule.is_written]
        if not results:
            if value:
                yield f"{value};"
            return
        rule, operand = results[0]
        type_ = self._operand_type(rule, match, operand)
        if isinstance(operand, Scalar):
            target = self._target(operand, instruction.name)
            yield (
                f"{target.cxx} = {converted(value, type_, target.type, instruction.name)};"
                if target.cxx
                else f"(void)({value});"
            )
            return
        yield f"{{ const auto ptx_result = {value}; "
        for access, scalar, part in _parts(operand, type_):
            target = self._target(scalar, instruction.name)
            if target.cxx:
                yield f"{target.cxx} = {converted(f'ptx_result.{access}', part, target.type, instruction.name)}; "
        yield "}"

    # -- values

    def _value(self, match: Match, instruction: Instruction) -> str:
        """Return the C++ that computes an instruction; nothing if it has no effect."""
        if match.cxx == "-":
            return ""
        texts: dict[str, str] = {}
        for rule, operand in zip(match.operands, instruction.operands):
            if rule.shape == "_" or rule.is_written:
                continue
            type_ = self._operand_type(rule, match, operand)
            values = list(self._sources(operand, rule, type_, match, instruction.name))
            texts[rule.name] = values[0]
            texts[f"{rule.name}..."] = ", ".join(values)
        pairs = [(rule, operand) for rule, operand in zip(match.operands, instruction.operands) if rule.parts]
        selections = [self._selection(rule, cast_scalar(operand), match, texts) for rule, operand in pairs]
        texts.update(chain.from_iterable(selections))
        vectors = [
            (rule, operand)
            for rule, operand in zip(match.operands, instruction.operands)
            if isinstance(operand, Vector)
        ]
        if vectors:
            texts["part"] = self._operand_type(vectors[0][0], match, vectors[0][1]).cxx
        cxx = re.sub(r"\{([^{}]+)\}", lambda found: self._part(found[1], match, texts, instruction), match.cxx)
        return self._wrapped(cxx, match)

    def _selection(
        self, rule: OperandRule, operand: Scalar, match: Match, texts: Mapping[str, str]
    ) -> list[tuple[str, str]]:
        """Return the placeholders that the selector of an operand of a video instruction sets."""
        if rule.parts == "part":
            if not rule.is_written:
                return []
            return [
                ("into", selected(operand.selector, self._type(rule.type, match)).cxx),
                ("index", operand.selector[1:]),
            ]
        lanes = int(match.parts["lanes"])
        if rule.is_written:
            return [("mask", hex(lane_mask(operand.selector, lanes)))]
        if not operand.selector:
            return []
        order = hex(lane_bytes(operand.selector, lanes))
        return [(rule.name, f"__byte_perm({texts['a']}, {texts['b']}, {order})")]

    def _part(self, key: str, match: Match, texts: Mapping[str, str], instruction: Instruction) -> str:
        """Return the C++ text for a placeholder of the table."""
        if key in ("carry", "carry_in"):
            return self._use_carry(key, instruction.name)
        if key in texts:
            return texts[key]
        if key.startswith("name:"):
            return FUNCTION_NAMES[match.parts[key[5:]]]
        if key.startswith("~"):
            return UNSIGNED[TYPES[match.parts[key[1:]]].size].cxx
        if key.endswith("/lane"):
            kind = TYPES[match.parts[key[: -len("/lane")]]].kind
            return TYPES[f"{kind}{32 // int(match.parts['lanes'])}"].cxx
        value = match.parts[key.lstrip("=")]
        if key.startswith("="):
            return value
        if value in TYPES:
            return TYPES[value].cxx
        return _MEANINGS.get(key, {}).get(value, value)

    def _use_carry(self, key: str, name: str) -> str:
        if key == "carry_in" and not self._needs_carry:
            raise Unportable(f"{name}, which reads the carry of another statement")
        self._needs_carry = True
        return "ptx_carry"

    def _wrapped(self, cxx: str, match: Match) -> str:
        """Apply modifiers: saturation, flushing of subnormal results, accesses that are not left out."""
        rule = match.operands[0] if match.operands else None
        gives_float = rule is not None and rule.is_written and rule.shape == "a" and self._type(rule.type, match) is F32
        if gives_float and match.parts.get("ftz"):
            cxx = f"::musa_ptx::flushed({cxx})"
        if gives_float and match.parts.get("sat"):
            cxx = f"__saturatef({cxx})"
        is_access = re.match(r"::musa_ptx::(?:load|store)(?:_vector)?<", cxx)
        asks = self._statement.is_volatile or match.parts.get("volatile") or match.parts.get("sem")
        if is_access and asks and not match.parts.get("nc"):
            cxx = re.sub(r"(?<=::musa_ptx::)(load|store)", r"\1_volatile", cxx, count=1)
        return cxx

    def _fences(self, match: Match) -> tuple[str, str]:
        """Return the fences before and after an instruction."""
        order = match.parts.get("sem", "")
        fence = _FENCES[match.parts.get("scope") or "gpu"]
        before = f"{fence}; " if order in ("release", "acq_rel") else ""
        return before, f" {fence};" if order in ("acquire", "acq_rel") else ""

    def _sources(
        self, operand: PtxOperand, rule: OperandRule, type_: PtxType, match: Match, name: str
    ) -> Iterator[str]:
        if isinstance(operand, Address):
            yield self._pointer(operand, type_, rule.space or match.parts.get("ss") or "", name)
        elif isinstance(operand, Vector):
            yield from (self._scalar(part, type_, name) for part in operand.parts)
        elif rule.parts == "part" or rule.may_be_negative:
            yield self._exact(cast_scalar(operand), type_, name)
        else:
            value = self._scalar(cast_scalar(operand), type_, name)
            flush = match.parts.get("ftz") and type_ is F32
            yield f"::musa_ptx::flushed({value})" if flush else value

    def _exact(self, operand: Scalar, type_: PtxType, name: str) -> str:
        """Return C++ for the number in a register, or in a part of it, in 64 bits."""
        if operand.selector:
            part = selected(operand.selector, type_)
            word, shift = self._scalar(operand, U32, name), 8 * part.size * int(operand.selector[1:])
            value = f"(long long)({part.cxx})({word}{f' >> {shift}' if shift else ''})"
        else:
            value = f"(long long){self._scalar(operand, type_, name)}"
        return f"-{value}" if operand.minus else value

    def _pointer(self, address: Address, type_: PtxType, space: str, name: str) -> str:
        base = self._variable(address.base, name)
        offset = f" + {address.offset}" if address.offset > 0 else f" - {-address.offset}" if address.offset else ""
        if space.startswith("shared"):
            value = self._scalar(address.base, U32 if base.type.size == 4 else U64, name)
            value = value if base.type.size == 4 else f"(unsigned){value}"
            return f"::musa_ptx::shared_pointer<{type_.cxx}>({value}{offset})"
        if base.type.size != 8:
            raise Unportable(f"{name} with an address of 32 bits")
        if offset:
            return f"({type_.cxx}*)((char*){base.cxx}{offset})"
        return f"({type_.cxx}*){base.cxx}"

    def _scalar(self, scalar: Scalar, type_: PtxType, name: str) -> str:
        number = literal(scalar.text, type_)
        if number is not None:
            return number
        variable = self._variable(scalar, name)
        if variable.is_constant and type_.kind in "su":
            value = f"({type_.cxx}){variable.cxx}"
        elif not variable.is_users or variable.type.kind == "f":
            value = converted(variable.cxx, variable.type, type_, name)
        else:
            value = self._of_user(variable, type_, name)
        return f"!{value}" if scalar.negated else value

    def _of_user(self, variable: Variable, type_: PtxType, name: str) -> str:
        """Return C++ for an operand's own expression, which may be signed, or a pointer."""
        value = f"({variable.type.cxx}){variable.cxx}"
        if type_.kind in "su" and type_.size == variable.type.size:
            return f"({type_.cxx}){variable.cxx}"
        return converted(value, variable.type, type_, name)

    def _variable(self, scalar: Scalar, name: str) -> Variable:
        for scope in reversed(self._scopes):
            if scalar.text in scope:
                return scope[scalar.text]
        known = self._table.registers.get(scalar.text.lstrip("%"))
        if known is None:
            raise Unportable(f"{name} with {scalar.text}")
        return Variable(known.cxx, TYPES[known.type])

    def _target(self, scalar: Scalar, name: str) -> Variable:
        return Variable("", U32) if scalar.text == "_" else self._variable(scalar, name)

    def _operand_type(self, rule: OperandRule, match: Match, operand: PtxOperand) -> PtxType:
        if rule.type == "part" and isinstance(operand, Vector):
            size = TYPES[match.parts["t"]].size // len(operand.parts)
            if size not in UNSIGNED:
                raise Unportable("a vector that cannot be packed")
            return UNSIGNED[size]
        return self._type(rule.type, match)

    def _type(self, name: str, match: Match) -> PtxType:
        type_ = TYPES[match.parts.get(name.lstrip("~"), name.lstrip("~"))]
        return UNSIGNED[type_.size] if name.startswith("~") and type_.kind in "su" else type_

    # -- operands of the statement

    def _bind(self, direct: bool) -> None:
        """Bind %0, %1, ... to the user's expressions, or to variables of the block."""
        registers = self._scopes[0]
        for index, operand in enumerate(self._statement.operands):
            if operand.letter == "n":
                variable = Variable(f"({self._text(operand)})", U64, is_users=True, is_constant=True)
            elif direct:
                variable = Variable(self._parenthesised(operand), CONSTRAINTS[operand.letter], is_users=True)
            else:
                variable = Variable(f"ptx_{index}", CONSTRAINTS[operand.letter])
            registers[f"%{index}"] = variable
            if operand.name:
                registers[f"%[{operand.name}]"] = variable

    def _text(self, operand: Operand) -> str:
        text = self._expression(operand).strip()
        return f"{text}\n" if "//" in text.rpartition("\n")[2] else text

    def _parenthesised(self, operand: Operand) -> str:
        text = self._text(operand)
        is_name = not self._statement.in_macro and re.fullmatch(r"\w+(?:\.\w+|\[\w+\])*", text)
        return text if is_name else f"({text})"

    def _read(self, operand: Operand, register: PtxType) -> str:
        value = self._parenthesised(operand)
        return value if register.kind == "f" else f"({register.cxx}){value}"

    def _stored(self, output: Operand, value: str) -> str:
        """Return the assignment to an output; one of 64 bits may be a pointer."""
        target = self._text(output)
        target = target if re.fullmatch(r"[\w.\[\]>-]+", target) else f"({target})"
        if output.letter == "l":
            return f"{target} = (__typeof__({target}))({value})"
        return f"{target} = {value}"


def cast_scalar(operand: PtxOperand) -> Scalar:
    """Return `operand` as a scalar: by the table it is no vector and no address."""
    if not isinstance(operand, Scalar):
        raise Unportable("an operand of another form")
    return operand


def _parts(operand: PtxOperand, type_: PtxType) -> Iterator[tuple[str, Scalar, PtxType]]:
    """Yield (member of the result, destination, type) of a result that has several."""
    if isinstance(operand, Pair):
        yield "first", operand.first, type_
        yield "second", operand.second, PREDICATE
    elif isinstance(operand, Vector):
        for i, scalar in enumerate(operand.parts):
            yield f"parts[{i}]", scalar, type_
