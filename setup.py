"""Install the start-up hook of FORCE_MUSA=1 beside the package, and support `python setup.py ...`.

All declarative settings are in pyproject.toml.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildPy(build_py):
    """Add the hook to wheels and to editable installs."""

    hook = "musa_build_force.pth"

    def run(self):
        super().run()
        # Editable wheels are packed from the directory that an install would copy to.
        directory = self.get_finalized_command("install").install_lib if self.editable_mode else self.build_lib
        Path(directory).mkdir(parents=True, exist_ok=True)
        self.copy_file(self.hook, str(Path(directory) / self.hook))

    def get_source_files(self):
        return [*super().get_source_files(), self.hook]

    def get_outputs(self, include_bytecode=1):
        return [*super().get_outputs(include_bytecode), str(Path(self.build_lib) / self.hook)]

    def get_output_mapping(self):
        return {**super().get_output_mapping(), str(Path(self.build_lib) / self.hook): self.hook}


setup(cmdclass={"build_py": BuildPy})
