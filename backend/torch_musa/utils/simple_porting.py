"""musa_build's porting of CUDA sources, under torch_musa's name; also a command, with `python -m`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Optional, Union

from musa_build import SimplePorting as _Porting
from musa_build.logger_util import LOGGER
from musa_build.porting import PortReport
from musa_build.porting.engine.announced_cuda import DEFAULT_EMULATED_CUDA
from musa_build.porting.engine.rules import rule_set
from musa_build.porting.engine.translate import translate, translator_for
from musa_build.porting.text_pairs import text_pairs

__all__ = ["EXT_REPLACED_MAPPING", "LOGGER", "SimplePorting"]

EXT_REPLACED_MAPPING: dict[str, str] = {"cuh": "muh", "cu": "mu"}
"""The new ending of a ported file, by its old one. Programs replace it, to keep names."""

Pairs = Union[Mapping[str, str], list[tuple[str, str]]]


class SimplePorting(_Porting):
    """musa_build's porting, whose steps can be replaced as those of torch_musa's class.

    A subclass or a program that patches the class (torchada) may replace `load_replaced_mapping`, `modify_file` and
    `change_filename`, or set the attributes before it calls `run`. Then these steps port each file on its own, and
    nothing is reported. Otherwise `run` is musa_build's.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        options = self._options
        self.cuda_dir_path = str(options.source)
        self.musa_dir_path = str(options.output)
        self.ignore_dir_paths: Iterable[Union[str, os.PathLike[str]]] = options.ignored
        self.mapping_rule: Pairs = {}
        self._given = self._attributes()

    def load_replaced_mapping(self) -> None:
        """Make `mapping_rule` the pairs of all texts to replace, the longest first: the given ones and CUDA's names."""
        pairs = {**text_pairs(self._options.rules), **dict(self.mapping_rule)}
        self.mapping_rule = sorted(pairs.items(), key=lambda pair: len(pair[0]), reverse=True)

    def process_ignore_dir_paths(self) -> None:
        """Make `ignore_dir_paths` absolute."""
        self.ignore_dir_paths = [Path(path).resolve() for path in self.ignore_dir_paths]

    def change_filename(self, name: str) -> str:
        """Return the name of the ported file."""
        stem, dot, ending = name.rpartition(".")
        return stem + dot + EXT_REPLACED_MAPPING.get(ending, ending)

    def modify_file(self, cuda_filepath: str, musa_filepath: str) -> None:
        """Port one file by `mapping_rule` and what is no pair of texts. Both paths may be the same."""
        rules = rule_set(dict(self.mapping_rule), default=self._options.rules.has_defaults)
        translator = translator_for(rules, emulated=DEFAULT_EMULATED_CUDA)
        text = translate(Path(cuda_filepath).read_bytes(), translator, lambda include: None).text
        Path(musa_filepath).write_bytes(text.encode("latin-1"))

    def run(self) -> Optional[PortReport]:  # type: ignore[override]  # steps of others report nothing
        """Port the folder; return the report, or None if a step was replaced.

        Raises:
            PortingError: The tree cannot be ported with these arguments.
        """
        if self._attributes() == self._given and all(
            getattr(type(self), name) is step for name, step in _STEPS.items()
        ):
            return super().run()
        self.load_replaced_mapping()
        self.process_ignore_dir_paths()
        for folder, _, names in list(os.walk(self.cuda_dir_path)):
            if Path(folder).resolve() not in self.ignore_dir_paths:
                self._port_files(Path(folder), names)
        return None

    def _port_files(self, folder: Path, names: list[str]) -> None:
        target = Path(self.musa_dir_path) / folder.relative_to(self.cuda_dir_path)
        target.mkdir(parents=True, exist_ok=True)
        for name in names:
            ported = target / self.change_filename(name)
            self.modify_file(str((folder / name).resolve()), str(ported.resolve()))

    def _attributes(self) -> tuple[object, ...]:
        return self.cuda_dir_path, self.musa_dir_path, self.ignore_dir_paths, self.mapping_rule, EXT_REPLACED_MAPPING


_STEPS = {
    name: getattr(SimplePorting, name)
    for name in ("load_replaced_mapping", "process_ignore_dir_paths", "change_filename", "modify_file")
}


if __name__ == "__main__":
    import runpy

    runpy.run_module("musa_build.porting", run_name="__main__", alter_sys=True)
