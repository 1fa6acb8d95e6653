"""The flags of `load`: PyTorch joins them by blanks in a build.ninja, and a shell reads them.

So one item may hold several flags ("-Xptxas -O3"), and quotes around a value are the shell's. BuildExtension quotes
each item instead, so each is one argument.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from ..errors import SettingError
from ..system import process
from .compile_flags import flag_list

# ninja replaces these in a line of build.ninja: an escaped character, or a variable, which is empty there.
_NINJA = re.compile(r"\$(?:([$ :])|\w+|\{[\w.-]+\})")


def split_flags(value: object, name: str) -> tuple[str, ...]:
    """Return the arguments that a compiler gets from a list of flags that `load` was called with.

    Raises:
        SettingError: `value` is no list, or a shell cannot read it; the message has its `name`.
    """
    flags = flag_list(value, name)
    text = _NINJA.sub(lambda found: found[1] or "", " ".join(flag.strip() for flag in flags))
    if "\n" in text:
        raise SettingError(f"{name} contains a line break", found=repr(text), wanted="flags without line breaks")
    # The shell itself, because flags may use all of it: `pkg-config --cflags x`, ~, $$HOME.
    done = process.run(["/bin/sh", "-c", f"for flag in {text}; do printf '%s\\0' \"$flag\"; done"])
    if done.returncode:
        raise SettingError(
            f"{name}: a shell cannot read these flags",
            found=f"{text!r} ({done.stderr.strip()})",
            hint=f"PyTorch's load would fail too; quote what the shell must not read: {shlex.join(flags)}",
        )
    return tuple(done.stdout.split("\0")[:-1])


def quoted_flags(arguments: Iterable[str]) -> list[str]:
    """Return a list of flags from which `split_flags` makes these arguments."""
    return [shlex.quote(argument).replace("$", "$$") for argument in arguments]
