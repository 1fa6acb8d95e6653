"""docs/simulator-stdlib.md, written from verdicts.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import stdlib_features
from stdlib_verdicts import RECORD

PAGE = Path(__file__).parents[3] / "docs/simulator-stdlib.md"

_TITLES = {
    "containers": "Containers, tuples, views",
    "values": "Optional, variant, functions, language support",
    "algorithms": "Algorithms and iterators",
    "numbers": "Numbers, complex, time",
}

_HEAD = """# The C++ standard library in kernels on the simulator

Which uses of the standard library compile in a kernel, by C++ standard. "nvcc" is nvcc {version} with libstdc++ {gcc},
"relaxed" is the same with `--expt-relaxed-constexpr`, "mcc" is the simulator's. A number is a standard in which the use
compiles. nvcc was tried with 17 and 20 only.

Every use that mcc accepts in C++17 or C++20 also runs in `make test`, in a kernel and on the host. Both must compute
the same numbers.

**Not verified on MUSA hardware**: Moore Threads' mcc is based on clang 14 and probably accepts less. "more" marks what
the simulator accepts and nvcc does not; code that must run elsewhere does without it.

"no result" marks what nvcc accepts and compiles to a kernel that traps or stores nothing, as its PTX shows: inside the
library, the use calls a host function, and nvcc drops that path.

On clang 19 (the default is ziglang's clang 22), mcc refuses in addition: {older}.

## Errors

A member that throws (`std::array::at`, `std::optional::value`, `std::get` of a variant) ends the launch with
`musaErrorLaunchFailure` and one line on stderr:

```
[musa-sim] kernel k(int*), block (0,0,0), thread (39,0,0): std::out_of_range thrown in device code: array::at: __n ...
```

nvcc drops the check, and the kernel goes on with undefined behaviour. With `-D_GLIBCXX_ASSERTIONS`, a failed assertion
of the library ends the launch with `musaErrorAssert`. `abort()` ends it with `musaErrorLaunchFailure`.

A `throw` or `try` that the program itself writes is a compile error where device code reaches it, as in clang. nvcc
accepts a `throw` in a constexpr function and drops it.

The tables are written by `python tests/sim/stdlib/stdlib_table.py` from what `stdlib_verdicts.py`, beside it, recorded.
The code of each use is in `tests/sim/stdlib/features/`.
"""


def _row(name: str, record: Mapping[str, Any]) -> str:
    plain, relaxed, mcc = (record[compiler][name] for compiler in ("nvcc", "nvcc relaxed", "mcc"))
    empty = " (no result)" if name in record["nvcc no result"] else ""
    more = " (more)" if {*mcc} - {*relaxed, "23"} else ""
    return f"| {_code(name)} | {_standards(plain)} | {_standards(relaxed)}{empty} | {_standards(mcc)}{more} |"


def _standards(accepted: Sequence[str]) -> str:
    return ", ".join(accepted) or "no"


def _code(name: str) -> str:
    return name.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def page(record: Mapping[str, Any]) -> str:
    older = ", ".join(map(_code, record["clang 19 lacks"]))
    parts = [_HEAD.format(version=record["nvcc version"], gcc=record["host compiler"], older=older)]
    for name in stdlib_features.PAGES:
        rows = "\n".join(_row(feature.name, record) for feature in stdlib_features.read(name))
        parts.append(f"\n## {_TITLES[name]}\n\n| use | nvcc | relaxed | mcc |\n|---|---|---|---|\n{rows}\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(json.loads(RECORD.read_text())))
