"""An extension that CMake builds, in the way that pybind11's example made common."""

import os
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class CMakeExtension(Extension):
    def __init__(self, name):
        super().__init__(name, sources=[])


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        output = Path(self.get_ext_fullpath(ext.name)).parent.resolve()
        build = Path(self.build_temp) / "cmake"
        build.mkdir(parents=True, exist_ok=True)
        options = [
            f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={output}",
            f"-DPython_EXECUTABLE={sys.executable}",
            *os.environ.get("CMAKE_ARGS", "").split(),
        ]
        subprocess.run(["cmake", str(Path(__file__).parent.resolve()), *options], cwd=build, check=True)
        subprocess.run(["cmake", "--build", "."], cwd=build, check=True)


setup(
    name="squares-cuda",
    version="2.0",
    ext_modules=[CMakeExtension("squares")],
    cmdclass={"build_ext": CMakeBuild},
)
