"""The pure pieces of the driver: stubs, images, depfiles, diagnostics."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

import pytest

from musa_sim.mcc.clang.cc1 import name_arch
from musa_sim.mcc.dependencies import merge_dependency_files
from musa_sim.mcc.errors import InternalError
from musa_sim.mcc.host import PLACEHOLDER, embed
from musa_sim.mcc.host import read_kernels as read_module
from musa_sim.mcc.image.link import pack
from musa_sim.mcc.ir.module import Module
from musa_sim.mcc.kernel import Argument, KernelStub, Passing
from musa_sim.mcc.runtime_abi.names import FAT_BINARY_MAGIC

_STUB = """\
@1 = private unnamed_addr constant [3 x i8] c"_Zk\\00", align 1
define linkonce_odr void @_Z_stub(ptr noundef %o, double %b.coerce0, i64 %b.coerce1, i1 noundef zeroext %f, \
ptr noundef byval(%struct.Big) align 8 %c) #4 comdat {
entry:
  %o.addr = alloca ptr, align 8
  %b = alloca %struct.Pair, align 8
  %f.addr = alloca i8, align 1
  %0 = getelementptr inbounds nuw { double, i64 }, ptr %b, i32 0, i32 0
  store double %b.coerce0, ptr %0, align 8
  %1 = getelementptr inbounds nuw { double, i64 }, ptr %b, i32 0, i32 1
  store i64 %b.coerce1, ptr %1, align 8
  store ptr %o, ptr %o.addr, align 8
  %storedv = zext i1 %f to i8
  store i8 %storedv, ptr %f.addr, align 1
  %e = alloca %struct.Empty, align 1
  %kernel_args = alloca ptr, i64 5, align 16
  %2 = getelementptr ptr, ptr %kernel_args, i32 0
  store ptr %o.addr, ptr %2, align 8
  %3 = getelementptr ptr, ptr %kernel_args, i32 1
  store ptr %b, ptr %3, align 8
  %6 = getelementptr ptr, ptr %kernel_args, i32 2
  store ptr %e, ptr %6, align 8
  %4 = getelementptr ptr, ptr %kernel_args, i32 3
  store ptr %f.addr, ptr %4, align 8
  %5 = getelementptr ptr, ptr %kernel_args, i32 4
  store ptr %c, ptr %5, align 8
  ret void
}
define internal void @__cuda_register_globals(ptr %0) {
entry:
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z_stub, ptr @1, ptr @1, i32 -1, ptr null)
  ret void
}
"""


def read_kernels(text: str) -> tuple[KernelStub, ...]:
    return read_module(Module.parse(text))


def test_each_register_is_traced_to_its_parameter_and_offset() -> None:
    (kernel,) = read_kernels(_STUB)
    assert kernel.name == "_Zk"
    assert kernel.arguments == (
        Argument(0, 0, Passing.VALUE),
        Argument(1, 0, Passing.VALUE),
        Argument(1, 8, Passing.VALUE),
        Argument(3, 0, Passing.BOOL),  # parameter 2 is an empty class: it has a slot and no register
        Argument(4, 0, Passing.MEMORY),
    )
    assert kernel.parameter_types == ("ptr", "%struct.Pair", "%struct.Empty", "i8", "%struct.Big")


def test_a_stub_that_cannot_be_traced_is_an_error_not_a_guess() -> None:
    with pytest.raises(InternalError, match="cannot tell where"):
        read_kernels(_STUB.replace("  store ptr %o, ptr %o.addr, align 8\n", ""))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  store ptr %f.addr, ptr %4, align 8\n", ""),
        (" i1 noundef zeroext %f,", ""),
        ("alloca ptr, i64 5", "alloca ptr, i64 6"),
    ],
)
def test_a_slot_that_no_parameter_claims_is_an_error(old: str, new: str) -> None:
    with pytest.raises(InternalError, match="cannot tell"):
        read_kernels(_STUB.replace(old, new))


def test_a_parameter_may_be_copied_as_a_whole() -> None:
    """As pointers to member functions are, in registers and in memory."""
    in_registers = _STUB.replace(
        "  store ptr %b, ptr %3, align 8\n",
        "  %whole = load { double, i64 }, ptr %b, align 8\n  %b.addr = alloca { double, i64 }, align 8\n"
        "  store { double, i64 } %whole, ptr %b.addr, align 8\n  store ptr %b.addr, ptr %3, align 8\n",
    )
    in_memory = in_registers.replace(
        "  store ptr %c, ptr %5, align 8\n",
        "  %all = load %struct.Big, ptr %c, align 8\n  %c.addr = alloca %struct.Big, align 8\n"
        "  store %struct.Big %all, ptr %c.addr, align 8\n  store ptr %c.addr, ptr %5, align 8\n",
    )
    ((first,), (second,)) = read_kernels(in_registers), read_kernels(in_memory)
    assert first.arguments == second.arguments == read_kernels(_STUB)[0].arguments
    assert second.parameter_types == ("ptr", "{ double, i64 }", "%struct.Empty", "i8", "%struct.Big")


def test_a_pointer_may_come_as_an_integer() -> None:
    """As a class of one pointer may: muAlg's ScanTileState."""
    coerced = _STUB.replace("(ptr noundef %o,", "(i64 %o.coerce,").replace(
        "  store ptr %o, ptr %o.addr, align 8\n",
        "  %coerce.val.ip = inttoptr i64 %o.coerce to ptr\n  store ptr %coerce.val.ip, ptr %o.addr, align 8\n",
    )
    assert read_kernels(coerced)[0].arguments == read_kernels(_STUB)[0].arguments


def test_a_module_without_kernels_has_none() -> None:
    assert read_kernels("define void @f() {\n  ret void\n}\n") == ()


def test_fat_binary_layout() -> None:
    images = {"mp_21": b"first", "mp_22": b"first", "mp_31": bytes(range(256)) * 3}
    blob = pack(images)
    assert blob.count(b"first") == 1  # architectures share an image
    magic, count, _ = struct.unpack_from("<8sII", blob)
    assert (magic, count) == (FAT_BINARY_MAGIC, 3)
    for at, (arch, image) in enumerate(images.items()):
        name, offset, size = struct.unpack_from("<16sQQ", blob, 16 + 32 * at)
        assert name.rstrip(b"\0").decode() == arch
        assert blob[offset : offset + size] == image
        assert offset % 64 == 0


def test_embedding_escapes_every_byte_and_renames_cuda() -> None:
    ir = f'@4 = private constant [26 x i8] c"{PLACEHOLDER}", section ".nv_fatbin"\ncall @__cudaRegisterVar(\n'
    out = embed(Module.parse(ir), bytes([0, 34, 92, 65, 200])).text
    assert '[5 x i8] c"\\00\\22\\5CA\\C8", section ".mt_fatbin"' in out
    assert "call @__musaRegisterVar(" in out
    with pytest.raises(InternalError, match="0 placeholders"):
        embed(Module.parse("no placeholder"), b"")


@pytest.mark.compiles
def test_objects_get_the_images_from_a_file_of_any_name(sim_sdk_root: Path, tmp_path: Path) -> None:
    scratch = tmp_path / 'a "folder" \\22'
    scratch.mkdir()
    (tmp_path / "k.mu").write_text("__global__ void k(int* a) { *a = 1; }\n")
    run = [sim_sdk_root / "bin/mcc", "-c", "k.mu", "--offload-arch=mp_21", "--offload-arch=mp_31"]
    subprocess.run(run, cwd=tmp_path, check=True, env={**os.environ, "TMPDIR": str(scratch)})
    assert (tmp_path / "k.o").read_bytes().count(FAT_BINARY_MAGIC) == 1


def test_dependencies_of_all_passes_in_one_rule() -> None:
    host = "out\\ dir/k.o: k.mu \\\n  a.h b\\ c.h\n\na.h:\n"
    device = "out\\ dir/k.o: k.mu a.h device_only.h\n\na.h:\n\ndevice_only.h:\n"
    assert merge_dependency_files([host, device]) == (
        "out\\ dir/k.o: k.mu \\\n  a.h \\\n  b\\ c.h \\\n  device_only.h\n\na.h:\n\ndevice_only.h:\n"
    )


@pytest.mark.parametrize(
    ("clang", "mcc"),
    [
        ("2 errors generated when compiling for x86-64.\n", "2 errors generated when compiling for mp_31.\n"),
        (
            "1 warning and 1 error generated when compiling for x86-64.\n",
            "1 warning and 1 error generated when compiling for mp_31.\n",
        ),
        ("1 warning generated when compiling for host.\n", "1 warning generated when compiling for mp_31.\n"),
        ("zig: error: unknown argument: '-q'\n", "mcc: error: unknown argument: '-q'\n"),
        ("clang-19: error: unknown argument: '-q'\n", "mcc: error: unknown argument: '-q'\n"),
        ('x.mu:1: error: "clang: error:" in a string\n', 'x.mu:1: error: "clang: error:" in a string\n'),
    ],
)
def test_diagnostics_speak_of_mcc_and_the_architecture(clang: str, mcc: str) -> None:
    assert name_arch(clang, "mp_31") == mcc
