"""Single calls of a dump, in text."""

from __future__ import annotations

from musa_tools.compare_dumps.records import Call, Dump, Run, Value


def find_calls(dump: Dump, prefix: str) -> list[tuple[Run, Call]]:
    """Return the calls whose names begin with some text; ``21_Torch_norm`` does not mean ``21_Torch_normal``.

    Args:
        dump: The dump.
        prefix: The whole name, or its beginning up to a dot or underscore.
    """

    def fits(name: str) -> bool:
        return name.startswith(prefix) and (
            not prefix[-1:].isalnum() or not name[len(prefix) : len(prefix) + 1].isalnum()
        )

    return [(run, call) for run in dump.runs for call in run.calls if fits(call.name)]


def shown(call: Call) -> list[str]:
    """Return a call as lines of text: its name, module, stack and values."""
    lines = [call.name]
    module = call.layer or call.parent
    lines += [f"  module: {module}"] if module else []
    lines += [f"  {line}" for line in call.stack]
    return lines + [f"  {_shown_value(value)}" for value in call.values]


def _shown_value(value: Value) -> str:
    name = f"{value.part}.{value.position}" if value.position else value.part
    if not value.is_tensor:
        return f"{name}: {value.kind} {value.scalar}"
    facts = [f"{title} {number:.9g}" for title, number in value.statistics.items() if number is not None]
    facts += [f"md5 {value.digest}"] if value.digest else []
    return ", ".join([f"{name}: {value.dtype} {list(value.shape or ())}", *facts])
