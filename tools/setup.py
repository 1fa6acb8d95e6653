"""Install the start-up hooks of MUSA_TOOLS_ALIASES and MUSA_CUDA_COMPAT.

All declarative settings are in pyproject.toml.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HOOKS = ("musa_tools_aliases.pth", "musa_tools_cuda_compat.pth")


class BuildPy(build_py):
    """Add the hooks to wheels and to editable installs."""

    def run(self):
        super().run()
        # Editable wheels are packed from the directory that an install would copy to.
        directory = self.get_finalized_command("install").install_lib if self.editable_mode else self.build_lib
        Path(directory).mkdir(parents=True, exist_ok=True)
        for hook in HOOKS:
            self.copy_file(hook, str(Path(directory) / hook))

    def get_source_files(self):
        return [*super().get_source_files(), *HOOKS]

    def get_outputs(self, include_bytecode=1):
        return [*super().get_outputs(include_bytecode), *(str(Path(self.build_lib) / hook) for hook in HOOKS)]

    def get_output_mapping(self):
        return {**super().get_output_mapping(), **{str(Path(self.build_lib) / hook): hook for hook in HOOKS}}


setup(cmdclass={"build_py": BuildPy})
