"""The README's MUSAExtension: its setup_musa.py as printed, and half types in a .cpp with force_mcc."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from musa_build.system.files import write_if_changed

Run = Callable[..., str]
CHECKS = Path(__file__).parent / "checks"

SOURCES = Path(__file__).resolve().parents[2] / "examples" / "freqencoder" / "freqencoder" / "src"

SETUP_MUSA = r"""
import os
from setuptools import setup, find_packages
from torch_musa.utils.simple_porting import SimplePorting
from torch_musa.utils.musa_extension import MUSAExtension, BuildExtension

_src_path = os.path.dirname(os.path.abspath(__file__))

c_flags = []
if os.name == "posix":
    c_flags = {
        "cxx": ['-O3', '-std=c++14'],
        "mcc": ["-O2"]
    }

# porting .cu to .mu
SimplePorting(cuda_dir_path="freqencoder/src", mapping_rule={
    "x.device().is_cuda()": "true",
    "#include <ATen/cuda/CUDAContext.h>": "#include \"torch_musa/csrc/aten/musa/MUSAContext.h\"",
    "#include <c10/cuda/CUDAGuard.h>": "#include \"torch_musa/csrc/core/MUSAGuard.h\"",
    }).run()

setup(
    name='freqencoder', # package name, import this to use python API
    ext_modules=[
        MUSAExtension(
            name='freqencoder._MUSAC', # extension name, import this to use MUSA API
            sources=[os.path.join(_src_path, 'freqencoder/src_musa', f) for f in [
                'freqencoder.mu',
                'bindings.cpp',
            ]],
            extra_compile_args=c_flags
        ),
    ],
    cmdclass={'build_ext': BuildExtension}
)
"""


@pytest.mark.slow
def test_setup_musa_as_printed(run: Run, kept_folder: Path) -> None:
    shutil.copytree(SOURCES, kept_folder / "freqencoder" / "src", dirs_exist_ok=True)
    write_if_changed(kept_folder / "setup_musa.py", SETUP_MUSA)
    run("setup_musa.py", "build_ext", "--inplace", cwd=kept_folder)
    run(str(CHECKS / "check_freqencoder.py"), cwd=kept_folder, PYTHONPATH=str(kept_folder))


HALF_CPP = r"""
#include <Python.h>
#include <musa_fp16.h>
#include <musa_runtime.h>

__global__ void scale(__half* values, int count, half factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = __hmul(values[i], factor);
}

// scale_(values: writable buffer of float16, factor): values *= factor, computed on the device; returns the MUSA error
static PyObject* py_scale(PyObject*, PyObject* args) {
    Py_buffer buffer;
    float factor;
    if (!PyArg_ParseTuple(args, "w*f", &buffer, &factor)) return nullptr;
    int count = int(buffer.len / sizeof(__half));
    __half* device = nullptr;
    musaMalloc((void**)&device, buffer.len);
    musaMemcpy(device, buffer.buf, buffer.len, musaMemcpyHostToDevice);
    scale<<<(count + 127) / 128, 128>>>(device, count, __float2half(factor * CXX_SCALE));
    int status = musaMemcpy(buffer.buf, device, buffer.len, musaMemcpyDeviceToHost);
    musaFree(device);
    PyBuffer_Release(&buffer);
    return PyLong_FromLong(status);
}

static PyMethodDef methods[] = {{"scale_", py_scale, METH_VARARGS, ""}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "halves", "", -1, methods};
PyMODINIT_FUNC PyInit_halves() { return PyModule_Create(&definition); }
"""

SETUP_HALVES = """
from setuptools import setup
from torch_musa.utils.musa_extension import MUSAExtension, BuildExtension

c_flags = {
    "cxx": ["force_mcc", "-DCXX_SCALE=2.0f"],
    "mcc": ["-O1"],
}
setup(
    name="halves",
    packages=[],
    ext_modules=[
        MUSAExtension(
            name="halves",
            sources=["halves.cpp"],
            extra_compile_args=c_flags,
        ),
    ],
    cmdclass={'build_ext': BuildExtension},
)
assert c_flags == {"cxx": ["force_mcc", "-DCXX_SCALE=2.0f"], "mcc": ["-O1"]}
"""


@pytest.mark.slow
def test_half_in_cpp_with_force_mcc(run: Run, kept_folder: Path) -> None:
    """The C++ flags reach the file although mcc compiles it, and the caller's flags are not changed."""
    write_if_changed(kept_folder / "halves.cpp", HALF_CPP)
    write_if_changed(kept_folder / "setup.py", SETUP_HALVES)
    run("setup.py", "build_ext", "--inplace", cwd=kept_folder)
    run(str(CHECKS / "check_halves.py"), cwd=kept_folder, PYTHONPATH=str(kept_folder))
