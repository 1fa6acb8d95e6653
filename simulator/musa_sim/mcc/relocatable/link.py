"""The device link: one image of the device code of several sources, in an object for the host's linker.

        objects, archives -> the code that is needed (choose) -> one module of all bitcode -> passes, image (device_image)

The object has a function for each source, which the source's own constructor calls: it registers kernels and variables
with the one image of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..backend import Backend
from ..clang import arguments, cc1
from ..commands import Commands, two_at_a_time, write_output
from ..device_image import DeviceImages
from ..errors import DriverError
from ..image.link import pack
from ..image.unresolved import demangled
from ..passes.relocatable import marked_as_managed
from .choose import Candidate, architectures, choose, users
from .object_files import object_files
from .record import LINKED_SECTION, SECTION, RelocatableCode

if TYPE_CHECKING:
    from ..ir.module import Module
    from ..sdk import Sdk

_LEVELS = ("-O0", "-Oz", "-O1", "-Os", "-O2", "-O3")

_OBJECT = r"""
typedef void (*registration)(void **);
void **__musaRegisterFatBinary(void *);
void __musaRegisterFatBinaryEnd(void **);
void __musaUnregisterFatBinary(void **);
int atexit(void (*)(void));

__asm__(".pushsection .mt_fatbin, \"a\", @progbits\n.p2align 6\n__musa_sim_images: .incbin \"IMAGES\"\n.popsection\n"
        ".pushsection LINKED, \"e\", @progbits\n.ascii \"NAMES\"\n.popsection\n");
extern const char __musa_sim_images[] __attribute__((visibility("hidden")));
static struct { int magic, version; const void *data; void *unused; } wrapper
    __attribute__((section(".mtFatBinSegment"))) = {0x466243B1, 1, __musa_sim_images, 0};
static void **handle;

static void unregister(void) { __musaUnregisterFatBinary(handle); }

static void add(registration kernels_and_variables) {
    if (!handle) {
        handle = __musaRegisterFatBinary(&wrapper);
        atexit(unregister);
    }
    kernels_and_variables(handle);
}
"""
_FUNCTION = '__attribute__((visibility("hidden"))) void {}(registration own) {{ add(own); }}\n'


def candidates(words: Sequence[str]) -> tuple[list[Candidate], set[str]]:
    """Return the relocatable code in the linker's inputs, and the link symbols of what was linked before."""
    found: list[Candidate] = []
    linked: set[str] = set()
    for item in object_files(words):
        linked.update(item.section(LINKED_SECTION).decode().split())
        codes = RelocatableCode.decode_all(item.section(SECTION), item.name)
        found += [Candidate(item.name, item.is_member, code) for code in codes]
    return [each for each in found if each.code.link_symbol not in linked], linked


def refuse_unlinked(words: Sequence[str]) -> None:
    """Raise DriverError for an object whose device code no device link took in."""
    unlinked = [each for each in candidates(words)[0] if not each.is_member]
    if unlinked:
        raise DriverError(
            f"'{unlinked[0].origin}' has relocatable device code, which a link without '-fgpu-rdc' leaves out: "
            "add '-fgpu-rdc', or link the object that 'mcc -dlink' makes"
        )


class DeviceLinker(NamedTuple):
    """The device link of one command; `scratch` is a directory that the caller removes."""

    sdk: Sdk
    commands: Commands
    scratch: Path
    checks: int  # bits of the checks that the link asks for, besides those of the objects

    def link(self, words: Sequence[str], archs: Sequence[str], output: str) -> None:
        """Link the device code in the linker's inputs: write an object, an empty one if there is no such code."""
        found, _ = candidates(words)
        chosen = choose(found, partial(demangled, linker=self.sdk.toolchain.linker))
        write_output(output, self._object(chosen, archs).read_bytes())

    def _object(self, chosen: Sequence[Candidate], archs: Sequence[str]) -> Path:
        source, made = self.scratch / "device-link.c", self.scratch / "device-link.o"
        source.write_text(self._text(chosen, archs) if chosen else "")
        command = [self.sdk.toolchain.host_cxx, "-x", "c", "-O1", "-fPIC", "-c", str(source), "-o", str(made)]
        self.commands.run(command, target="host")
        return made

    def _text(self, chosen: Sequence[Candidate], archs: Sequence[str]) -> str:
        """Return the object's source, in C: host compilers have no other way to include a file."""
        images = self.scratch / "images"
        images.write_bytes(self._images(chosen, architectures(chosen, archs)))
        names = [each.code.link_symbol for each in chosen]
        text = _OBJECT.replace("IMAGES", str(images).replace("\\", r"\\\\").replace('"', r"\\\""))
        text = text.replace("LINKED", LINKED_SECTION).replace("NAMES", "".join(rf"{name}\\n" for name in names))
        return text + "".join(map(_FUNCTION.format, names))

    def _images(self, chosen: Sequence[Candidate], archs: Sequence[str]) -> bytes:
        codes = [each.code for each in chosen]
        self._refuse_other_writers(chosen)
        level = max((code.level for code in codes), key=_LEVELS.index)
        checks = self.checks
        for code in codes:
            checks |= code.checks
        debug = ["-g"] if any(code.has_debug_info for code in codes) else []
        demanding = max(codes, key=lambda code: code.cpu)
        front_end, _ = cc1.ask_driver(
            self.sdk.toolchain, ["-fPIC", level, *debug, *demanding.driver_args], "-c", "/dev/null", "-"
        )
        distinct: dict[tuple[bytes, ...], list[str]] = {}
        for arch in archs:
            distinct.setdefault(tuple(code.bitcode[arch] for code in codes), []).append(arch)
        args = arguments.device_backend_args(front_end)
        backends = {code: Backend(self.commands, front_end, args, same[0], self.scratch) for code, same in distinct.items()}
        linked = two_at_a_time({code: partial(backend.link, code) for code, backend in backends.items()})
        managed = {name for code in codes for name in code.managed}
        modules: dict[str, Module] = {}
        for code, same in distinct.items():
            modules.update(dict.fromkeys(same, marked_as_managed(linked[code], managed)))
        kernels = {kernel.name: kernel for code in reversed(codes) for kernel in code.kernels}
        sizes = {kind: int(kind[1:].split(" ")[0]) for each in kernels.values() for kind in each.parameter_types if kind}
        maker = DeviceImages(
            *(self.sdk, self.commands, front_end, self.scratch, level, bool(checks), users(chosen))
        )
        return pack(maker.build(modules, list(kernels.values()), sizes), checks, front_end.cpu_number)

    def _refuse_other_writers(self, chosen: Sequence[Candidate]) -> None:
        own = self.sdk.toolchain.clang_version
        for each in chosen:
            if each.code.writer != own:
                raise DriverError(
                    f"'{each.origin}' was compiled by a mcc with clang {each.code.writer}; this one has {own}: "
                    "compile it again"
                )
