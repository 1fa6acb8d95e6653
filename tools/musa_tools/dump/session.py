"""A dump of a run: started and stopped, step by step; each step has its watchers and its writer."""

from __future__ import annotations

import atexit
import dataclasses
from pathlib import Path
from typing import Any, Callable, Optional

import torch

from musa_tools.dump.calls import Calls, Numbering, Sink
from musa_tools.dump.config import DumpConfig, read_wrap_ops
from musa_tools.dump.session_file import session_name, write_session
from musa_tools.dump.step_writer import StepWriter
from musa_tools.dump.writing import OneWarning, WriteFailure
from musa_tools.errors import ToolError
from musa_tools.observe.api_names import ApiNames
from musa_tools.observe.calls import FunctionCalls, ModuleCalls, ParameterGradients
from musa_tools.observe.process import rank


class Session:
    """Dumps steps of a run.

    Args:
        config: The configuration.
        model: The model whose modules are dumped, for the levels L0 and mix.
    """

    def __init__(self, config: DumpConfig, model: Optional[torch.nn.Module]) -> None:
        _check_model(config, model)
        self._config = config
        self._model = model
        self._number = 0
        self._names = ApiNames(read_wrap_ops(config.wrap_ops))
        self._failure = WriteFailure(f"the dump in {config.dump_path}")
        self._overflows = 0
        self._described = False
        self._dump: Optional[StepDump] = None

    @property
    def running(self) -> bool:
        """Return whether it dumps."""
        return self._dump is not None and self._dump.running

    def start(self, model: Optional[torch.nn.Module] = None) -> None:
        """Start dumping, if this step and rank are selected."""
        if model is not None:
            _check_model(self._config, model)
            self._model = model
        if not self._is_selected():
            return
        self._describe()
        if self._dump is None:
            modules = list(self._model.named_modules()) if self._model and self._config.level != "L1" else []
            self._dump = StepDump(self._config, self._folder(), modules, self._failure, self._names, self._overflow)
        self._dump.start()
        atexit.register(self.stop)

    def end_forward(self) -> None:
        """Dump no further calls; keep dumping the gradients of the dumped calls."""
        if self._dump is not None:
            self._dump.end_forward()

    def stop(self) -> None:
        """Stop dumping, and write the files."""
        atexit.unregister(self.stop)
        if self._dump is not None:
            self._dump.stop()

    def step(self) -> None:
        """End a step: the next start dumps to the next folder."""
        self.stop()
        self._dump = None
        self._number += 1

    def _describe(self) -> None:
        """Write session.json, once per run."""
        if not self._described:
            self._described = True
            path = Path(self._config.dump_path) / session_name(rank())
            self._failure.guarded(write_session, path, {"form": "msprobe", **dataclasses.asdict(self._config)})

    def _overflow(self) -> bool:
        """Count an overflow; return whether the run stops at it."""
        self._overflows += 1
        return self._overflows == self._config.overflow_nums

    def _is_selected(self) -> bool:
        config = self._config
        if not config.enabled or self._failure.happened:
            return False
        if config.ranks and (rank() or 0) not in config.ranks:
            return False
        return not config.steps or self._number in config.steps

    def _folder(self) -> Path:
        number = rank()
        return Path(self._config.dump_path) / f"step{self._number}" / ("rank" if number is None else f"rank{number}")


class StepDump:
    """Watches the calls of a level, and writes the values of a task.

    Args:
        config: Level, task and the rest.
        folder: The step's and rank's.
        modules: The modules of the model, with their names.
        failure: Records errors of writing.
        names: The functions to watch.
        overflow: For the task overflow_check: counts an overflow, and returns whether to stop.
    """

    def __init__(
        self,
        config: DumpConfig,
        folder: Path,
        modules: list[tuple[str, torch.nn.Module]],
        failure: WriteFailure,
        names: ApiNames,
        overflow: Callable[[], bool],
    ) -> None:
        self._writer = StepWriter(folder, config, failure)
        self._parameters: Optional[ParameterGradients] = None
        sink: Sink
        if config.task == "overflow_check":
            from musa_tools.dump.overflow_json import OverflowJson  # each task loads its own

            sink = OverflowJson(self._writer, config, overflow, str(folder)).sink
        else:
            from musa_tools.dump.json_sink import JsonSink

            sink = json_sink = JsonSink(config, self._writer)
            if modules and config.keeps("output", True):
                warning = OneWarning()
                self._parameters = ParameterGradients(
                    modules, lambda *taken: warning.run(taken[0], json_sink.parameter_gradients, *taken)
                )
        self._calls = Calls(sink, Numbering())
        self._modules = ModuleCalls(modules, self._calls) if modules else None
        self._mode = FunctionCalls(names, self._calls.around_api) if config.level != "L0" else None
        self._watching = False
        self.running = False

    def start(self) -> None:
        """Start watching."""
        if self._watching:
            return
        self._watching = self.running = True
        self._calls.active = True
        if self._modules is not None:
            self._modules.start()
        if self._parameters is not None:
            self._parameters.start()
        if self._mode is not None:
            self._mode.show()

    def end_forward(self) -> None:
        """Stop watching calls; gradients are still watched."""
        if not self._watching:
            return
        self._watching = False
        if self._mode is not None:
            self._mode.hide()
        if self._modules is not None:
            self._modules.stop()

    def stop(self) -> None:
        """Stop watching, and write the files."""
        if not self.running:
            return
        self.end_forward()
        self.running = False
        self._calls.finish()
        self._calls.active = False
        if self._parameters is not None:
            self._parameters.stop()
        self._writer.finalize()


def _check_model(config: DumpConfig, model: Any) -> None:
    if model is None and config.level != "L1":
        raise ToolError(
            f'{config.origin}: level: "{config.level}" dumps the modules of a model, and model is not given',
            hint="write PrecisionDebugger(..., model=model)",
        )
    if model is not None and not isinstance(model, torch.nn.Module):
        raise ToolError("model is wrong", found=type(model).__name__, wanted="a torch.nn.Module")
