"""A setup.py for the packages of the corpus: `build_extensions.py NAME build_ext ...`, run in the package's folder.

It replaces the package's own setup.py, which wants CUDA; sources, macros and flags are the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import Extension as SetuptoolsExtension
from setuptools import setup
from torch.utils.cpp_extension import CppExtension

from musa_build import BuildExtension, MUSAExtension

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.corpus import packages

HERE = Path(__file__).parent


def extension(wanted: packages.Extension) -> SetuptoolsExtension:
    options = {
        "sources": [str(HERE / source) if (HERE / source).exists() else source for source in wanted.sources],
        "include_dirs": [str(Path(folder).absolute()) for folder in wanted.include_dirs],
        "define_macros": [(macro, None) for macro in wanted.macros],
    }
    if not wanted.on_device:
        links = [flag for flag in wanted.cxx if flag == "-fopenmp"]
        return CppExtension(wanted.name, extra_compile_args=list(wanted.cxx), extra_link_args=links, **options)
    flags = {"cxx": list(wanted.cxx), "nvcc": list(wanted.nvcc)}
    return MUSAExtension(wanted.name, extra_compile_args=flags, **options)


def main() -> None:
    name = sys.argv.pop(1)
    (package,) = (value for value in vars(packages).values() if getattr(value, "name", None) == name)
    setup(
        name=package.name,
        version=package.version,
        packages=[],
        ext_modules=[extension(wanted) for wanted in package.extensions],
        cmdclass={"build_ext": BuildExtension.with_options(no_python_abi_suffix=True)},
    )


if __name__ == "__main__":
    main()
