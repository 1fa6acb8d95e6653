"""Probes of libraries, the runtime's images, CMake modules and torch_musa's files."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from ..probe_context import PROGRAMS, ProbeContext, facts_of, first_error
from ..verdict import UndecidedError, Verdict, confirmed, judged, refuted, undecided

ARCHITECTURES = ("mp_10", "mp_21", "mp_22", "mp_31")


def image_of_another_card(context: ProbeContext) -> Verdict:
    """Run programs that hold an image for one other architecture only."""
    ran: list[str] = []
    refused: list[str] = []
    here = ""
    source = context.write(
        "image.mu",
        '#include "probe.h"\n__global__ void set(int* x) { *x = 7; }\n'
        "int main() { int* x = managed<int>(1); set<<<1, 1>>>(x); const musaError_t error = ended();\n"
        'fact("error", error); fact("value", *x); fact("arch", architecture()); }\n',
    )
    libraries = [f"-L{folder}" for folder in context.sdk.library_dirs]
    for arch in ARCHITECTURES:
        done = context.compile(source, "-std=c++17", f"--offload-arch={arch}", "-o", "program", *libraries, "-lmusart")
        if done.returncode:
            continue
        facts = facts_of(context.run(["./program"]))
        here = f"mp_{facts['arch']}"
        if arch != here:
            (ran if facts["error"] == "musaSuccess" and facts["value"] == "7" else refused).append(arch)
    if not ran and not refused:
        raise UndecidedError("mcc compiles for no other architecture")
    if ran:
        return refuted(f"the {here} runs images of {', '.join(ran)}")
    return confirmed(f"the {here} refuses images of {', '.join(refused)}")


_NAMES = {
    "mccl.h": ("mcclAllReduce", "mcclCommInitRank", "mcclGetUniqueId"),
    "mtrtc.h": ("mtrtcCreateProgram", "mtrtcCompileProgram"),
    "mtjpeg.h": ("mtjpegCreateSimple", "mtjpegDecode"),
    "musa_fp8.h": ("__mt_fp8_e4m3", "__MT_SATFINITE"),
    "musa.h": ("muLaunchKernel",),
}


def names_not_in_mapping(context: ProbeContext) -> Verdict:
    """Look for names that we made, in headers that the SDK has."""
    wrong: list[str] = []
    right: list[str] = []
    absent: list[str] = []
    for header, names in _NAMES.items():
        if not (context.sdk.include_dir / header).is_file():
            absent.append(header)
            continue
        for name in names:
            source = context.write(
                "name.mu", f"#include <{header}>\nusing namespace std;\nint main() {{ (void)sizeof({name}); }}\n"
            )
            accepted, _ = context.accepts(source, "-std=c++17", "-fsyntax-only")
            if not accepted:
                source.write_text(f"#include <{header}>\nauto const address = &{name};\n", encoding="utf-8")
                accepted, _ = context.accepts(source, "-std=c++17", "-fsyntax-only")
            (right if accepted else wrong).append(f"{name} ({header})")
    if "TensorMap" not in _text(context, "musa.h"):
        absent.append("tensor maps")
    elif "muTensorMapEncodeTiled" not in _text(context, "musa.h"):
        wrong.append("muTensorMapEncodeTiled (musa.h)")
    if wrong:
        return refuted(f"the SDK has not {', '.join(wrong)}")
    if not right:
        raise UndecidedError(f"the SDK has none of the headers {', '.join(absent)}")
    more = f"; not in this SDK: {', '.join(absent)}" if absent else ""
    return confirmed(f"{', '.join(right)} exist{more}")


def _text(context: ProbeContext, header: str) -> str:
    path = context.sdk.include_dir / header
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


#: The simulator's numbers: XORWOW with rocRAND's seeding, MRG32k3a with our own.
_DRAWN = {"xorwow": "2548329682 1542431357 1912191061", "mrg32k3a": "1218461569 3834282435 649369533"}


def murand_seeds(context: ProbeContext) -> Verdict:
    """Compare the first numbers of a seed with the simulator's."""
    built = context.link(PROGRAMS / "murand-seeds.mu", libraries=("murand",))
    if built.returncode:
        raise UndecidedError(first_error(built))
    facts = facts_of(context.run(["./program"]))
    wrong = [
        f"{name} draws {facts.get(name)}, the simulator {drawn}"
        for name, drawn in _DRAWN.items()
        if facts.get(name) != drawn
    ]
    return judged(not wrong, "; ".join(wrong) or "both draw the simulator's numbers")


_MODULE_NAMES = {
    "FindMUSA.cmake": (
        "MUSA_FOUND",
        "MUSA_INCLUDE_DIRS",
        "MUSA_MCC_EXECUTABLE",
        "musa_add_library",
        "musa_add_executable",
    ),
    "FindMUSAToolkit.cmake": ("MUSAToolkit_INCLUDE_DIRS", "MUSA::musart"),
}


def find_modules(context: ProbeContext) -> Verdict:
    """Look for the names that projects use in the SDK's modules, without regard to case."""
    folder = context.sdk.root / "cmake"
    texts = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.rglob("*.cmake")))
    absent = [name for name in _MODULE_NAMES if not (folder / name).is_file()]
    if len(absent) == len(_MODULE_NAMES):
        raise UndecidedError(f"the SDK has no {' and no '.join(f'cmake/{name}' for name in absent)}")
    wanted = [name for module, names in _MODULE_NAMES.items() if module not in absent for name in names]
    missing = [name for name in wanted if name.lower() not in texts.lower()]
    if missing:
        return refuted(f"the SDK's modules do not name {', '.join(missing)}")
    return confirmed(f"they name {', '.join(wanted)}" + (f"; no {', '.join(absent)}" if absent else ""))


def torch_musa_folder() -> Path:
    """Return where torch_musa is installed.

    Raises:
        UndecidedError: It is not.
    """
    found = importlib.util.find_spec("torch_musa")
    if found is None or not found.origin:
        raise UndecidedError("torch_musa is not installed")
    return Path(found.origin).parent


def _needed(context: ProbeContext) -> dict[str, list[str]]:
    libraries = sorted(torch_musa_folder().glob("lib/*.so")) + sorted(torch_musa_folder().glob("*.so"))
    if not libraries:
        raise UndecidedError("torch_musa has no libraries")
    listed = {path.name: context.run(["readelf", "-d", path]).stdout for path in libraries}
    return {name: re.findall(r"\(NEEDED\).*\[(.*)\]", text) for name, text in listed.items()}


def torch_musa_names_sdk(context: ProbeContext) -> Verdict:
    """Read which version of libmusart torch_musa needs."""
    names = sorted({each for needed in _needed(context).values() for each in needed if each.startswith("libmusart")})
    if not names:
        raise UndecidedError("no library of torch_musa needs libmusart")
    versioned = any(re.search(r"\.so\.\d", name) for name in names)
    return judged(versioned, f"torch_musa needs {', '.join(names)}")


def torch_musa_links_mublas(context: ProbeContext) -> Verdict:
    """Read whether torch_musa needs libmublas."""
    users = [name for name, needed in _needed(context).items() if any(each.startswith("libmublas.") for each in needed)]
    return judged(bool(users), f"{', '.join(users) or 'no library of torch_musa'} needs libmublas")


def philox_header(context: ProbeContext) -> Verdict:
    """Look for the header among torch_musa's."""
    paths = sorted(torch_musa_folder().rglob("Philox*State*.*h"))
    names = [path.relative_to(torch_musa_folder()).as_posix() for path in paths]
    wanted = "ATen/musa/PhiloxCudaState.h"
    return judged(
        any(name.endswith(wanted) for name in names), f"torch_musa has {', '.join(names) or 'no such header'}"
    )


def register_dispatch(context: ProbeContext) -> Verdict:
    """Look for the macro's definition among torch_musa's headers."""
    definition = re.compile(r"#define REGISTER_MUSA_DISPATCH\([^\\\n]*(?:\\\n[^\\\n]*)*")
    for path in sorted(torch_musa_folder().rglob("DispatchStub.h")):
        found = definition.search(path.read_text(encoding="utf-8", errors="replace"))
        if found:
            return judged("PrivateUse1" in found[0] or "PRIVATEUSE1" in found[0], " ".join(found[0].split()))
    return refuted("no DispatchStub.h of torch_musa defines REGISTER_MUSA_DISPATCH")


def pytorch_lanes(context: ProbeContext) -> Verdict:
    """Read C10_WARP_SIZE in the headers that torch_musa ships."""
    values = set()
    for path in torch_musa_folder().rglob("Macros.*h"):
        text = path.read_text(encoding="utf-8", errors="replace")
        values |= set(re.findall(r"#define C10_WARP_SIZE (\S+)", text))
    if not values:
        raise UndecidedError("torch_musa ships no header with C10_WARP_SIZE")
    return judged(values == {"32"} or "32" in values, f"C10_WARP_SIZE is {' or '.join(sorted(values))}")


def find_torch_musa(context: ProbeContext) -> Verdict:
    """Look for the names in torch_musa's CMake package."""
    paths = sorted(torch_musa_folder().rglob("*orch*usa*onfig.cmake"))
    if not paths:
        raise UndecidedError("torch_musa has no CMake package")
    text = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)
    names = ("TorchMusa_LIBRARIES", "TorchMusa_INCLUDE_DIRS", "torch_musa")
    missing = [name for name in names if name not in text]
    return judged(
        not missing, f"not named: {', '.join(missing)}" if missing else f"{paths[0].name} names {', '.join(names)}"
    )


def mupti(context: ProbeContext) -> Verdict:
    """Look for MUPTI, which we could not see."""
    headers = sorted(path.name for path in context.sdk.root.glob("extras/MUPTI/include/*.h"))
    headers += sorted(path.name for path in context.sdk.include_dir.glob("mupti*.h"))
    if headers:
        return undecided(
            f"this SDK has {', '.join(headers[:6])}: do they have CUPTI's activity functions under MUSA's names?"
        )
    return undecided("this SDK has no headers of MUPTI")


def exceeds_extension_default(context: ProbeContext) -> Verdict:
    """Compile for the architecture that MUSAExtension takes without a card."""
    accepted, complaint = context.accepts(
        context.write("empty.mu", "__global__ void kernel() {}\n"), "--offload-arch=mp_22"
    )
    if not accepted:
        return refuted(f"mcc does not compile for mp_22: {complaint}")
    return undecided("mcc compiles for mp_22. Is it the architecture that most people without a card at hand want?")


PROBES: Mapping[str, Callable[[ProbeContext], Verdict]] = {
    "image-of-other-card": image_of_another_card,
    "names-not-in-mapping": names_not_in_mapping,
    "murand-seeds": murand_seeds,
    "find-musa": find_modules,
    "torch-musa-names-sdk": torch_musa_names_sdk,
    "torch-musa-links-mublas": torch_musa_links_mublas,
    "philox-header": philox_header,
    "pytorch-lanes": pytorch_lanes,
    "register-musa-dispatch": register_dispatch,
    "find-torch-musa": find_torch_musa,
    "mupti": mupti,
    "extension-default-arch": exceeds_extension_default,
}
