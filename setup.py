"""Everything declarative stands in pyproject.toml; this file exists so that `python setup.py ...` works too, and for
the one file that must lie beside the package: the start-up hook of FORCE_MUSA=1."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildPy(build_py):
    """Adds the hook to wheels and to editable installs."""

    hook = "musa_build_force.pth"

    def run(self):
        super().run()
        # Editable wheels are packed from the folder that an install would copy to.
        place = self.get_finalized_command("install").install_lib if self.editable_mode else self.build_lib
        Path(place).mkdir(parents=True, exist_ok=True)
        self.copy_file(self.hook, str(Path(place) / self.hook))

    def get_source_files(self):
        return [*super().get_source_files(), self.hook]

    def get_outputs(self, include_bytecode=1):
        return [*super().get_outputs(include_bytecode), str(Path(self.build_lib) / self.hook)]

    def get_output_mapping(self):
        return {**super().get_output_mapping(), str(Path(self.build_lib) / self.hook): self.hook}


setup(cmdclass={"build_py": BuildPy})
