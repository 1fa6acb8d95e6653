"""Install the start-up hook of FORCE_MUSA and the example of the demo.

It supports `python setup.py` as well.

All declarative settings are in pyproject.toml.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildPy(build_py):
    """Add the hook and the example to wheels, and the hook to editable installs."""

    hook = "musa_build_force.pth"

    example = Path("examples", "freqencoder")
    """The project that `musa-build demo` builds. A wheel has a copy; an editable install finds it in the checkout."""

    def example_files(self):
        """Return the source and the path in the package of each file that was written by hand."""
        suffixes = {".cpp", ".cu", ".h", ".md", ".py", ".toml"}
        made = {"src_musa", "build", "__pycache__"}
        found = [path for path in sorted(self.example.rglob("*")) if path.suffix in suffixes]
        own = [path for path in found if not made.intersection(path.parts) and "egg-info" not in str(path)]
        inside = Path("musa_build", "demo", "example")
        return {str(path): str(inside / path.relative_to(self.example)) for path in own}

    def run(self):
        super().run()
        if not self.editable_mode:
            for source, inside in self.example_files().items():
                target = Path(self.build_lib, inside)
                target.parent.mkdir(parents=True, exist_ok=True)
                self.copy_file(source, str(target))
        # Editable wheels are packed from the directory that an install would copy to.
        directory = self.get_finalized_command("install").install_lib if self.editable_mode else self.build_lib
        Path(directory).mkdir(parents=True, exist_ok=True)
        self.copy_file(self.hook, str(Path(directory) / self.hook))

    def get_source_files(self):
        return [*super().get_source_files(), self.hook, *self.example_files()]

    def get_outputs(self, include_bytecode=1):
        copied = (self.hook, *self.example_files().values())
        return [*super().get_outputs(include_bytecode), *(str(Path(self.build_lib) / path) for path in copied)]

    def get_output_mapping(self):
        return {**super().get_output_mapping(), str(Path(self.build_lib) / self.hook): self.hook}


setup(cmdclass={"build_py": BuildPy})
