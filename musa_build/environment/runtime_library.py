"""The answers of libmusart: whether it loads, its version, the driver's, and the cards that it sees.

A process of its own asks: a driver that hangs or aborts must not stop the caller. Nothing here needs torch.
"""

from __future__ import annotations

import re
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from ..system import process

# Each answer is a line, written at once: what was said before a crash counts. The attribute numbers (75 and 76, compute
# capability) are those of CUDA, which musaDeviceAttr shares.
_PROGRAM = """
import ctypes, sys
def say(*words):
    print(*words, flush=True)
try:
    runtime = ctypes.CDLL(sys.argv[1])
except OSError as error:
    say("error", error)
    sys.exit()
say("loaded")
for name in ("musaRuntimeGetVersion", "musaDriverGetVersion"):
    number = ctypes.c_int(0)
    if hasattr(runtime, name) and getattr(runtime, name)(ctypes.byref(number)) == 0:
        say(name, number.value)
count = ctypes.c_int(0)
status = runtime.musaGetDeviceCount(ctypes.byref(count))
text = ""
if hasattr(runtime, "musaGetErrorString"):
    runtime.musaGetErrorString.restype = ctypes.c_char_p
    text = (runtime.musaGetErrorString(status) or b"").decode(errors="replace")
say("status", status, text)
for device in range(count.value if status == 0 else 0):
    major, minor = ctypes.c_int(0), ctypes.c_int(0)
    runtime.musaDeviceGetAttribute(ctypes.byref(major), 75, device)
    runtime.musaDeviceGetAttribute(ctypes.byref(minor), 76, device)
    say("card", major.value, minor.value)
"""
_SECONDS = 20


@dataclass(frozen=True)
class RuntimeAnswers:
    """The answers of one libmusart.

    Attributes:
        loads: Whether the dynamic loader loads it.
        error: The reason why it does not load, or why it gave no answer.
        runtime: Its version, as a number; 0 if it does not say.
        driver: The version that the driver knows, as a number; 0 without a driver.
        status: The error of musaGetDeviceCount: its number and its text; "" without an error.
        cards: The compute capability of each card, in device order.
    """

    loads: bool
    error: str = ""
    runtime: int = 0
    driver: int = 0
    status: str = ""
    cards: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, library: Path) -> RuntimeAnswers:
        """Load `library` in a new process, and ask it."""
        done = process.run([sys.executable, "-c", _PROGRAM, str(library)], timeout=_SECONDS)
        return cls.read(done.returncode, done.stdout)

    @classmethod
    def read(cls, returncode: int, output: str) -> RuntimeAnswers:
        """Read the output of the process that asked, and how it ended."""
        said = dict(re.findall(r"^(\w+) ?(.*)$", output, re.MULTILINE))
        status = said.get("status", "")
        return cls(
            loads="loaded" in said,
            error=said.get("error", "") or _how_it_ended(returncode),
            runtime=int(said.get("musaRuntimeGetVersion", 0)),
            driver=int(said.get("musaDriverGetVersion", 0)),
            status="" if status.split(" ")[0] in ("", "0") else status,
            cards=tuple((int(a), int(b)) for a, b in re.findall(r"^card (\d+) (\d+)$", output, re.MULTILINE)),
        )


def _how_it_ended(returncode: int) -> str:
    if returncode == 124:
        return f"no answer within {_SECONDS} s"
    if returncode < 0:
        return f"the process that asked it was ended by {signal.Signals(-returncode).name}"
    return f"the process that asked it ended with {returncode}" if returncode else ""
