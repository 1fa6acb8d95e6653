"""The end of each command's help: examples and exit status."""

from __future__ import annotations

from collections.abc import Sequence

DEFAULT_STATUS = "0 on success, 1 on an error, 2 for wrong usage."


def epilog(examples: Sequence[str], *sections: str, status: str = DEFAULT_STATUS) -> str:
    """Return an epilog for click: `examples` with their line breaks, more `sections`, and the exit status."""
    lines = "\n".join(f"  {example}" for example in examples)
    return "\n\n".join([f"\b\nExamples:\n{lines}", *sections, f"Exit status: {status}"])
