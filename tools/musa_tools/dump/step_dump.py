"""One step of a dump: its watchers and its writer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Callable, Optional

import torch

from musa_tools.dump.calls import Calls, Numbering, Sink
from musa_tools.dump.config import DumpConfig
from musa_tools.dump.json_sink import JsonSink
from musa_tools.dump.overflow_json import OverflowJson
from musa_tools.dump.step_writer import StepWriter
from musa_tools.dump.write_failure import OneWarning, WriteFailure
from musa_tools.observe.function_calls import FunctionCalls
from musa_tools.observe.module_calls import ModuleCalls, ParameterGradients

if TYPE_CHECKING:
    from musa_tools.observe.api_names import ApiNames


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
            sink = OverflowJson(self._writer, config, overflow, str(folder)).sink
        else:
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
