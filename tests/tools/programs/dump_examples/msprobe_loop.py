"""Runs with `model`, `data_loader` and `ends_the_forward_pass` in its name space."""

from msprobe.pytorch import PrecisionDebugger

debugger = PrecisionDebugger(config_path="./config.json", dump_path="./dump_path")
for data, label in data_loader:  # noqa: F821
    debugger.start()
    output = model(data)  # noqa: F821
    if ends_the_forward_pass:  # noqa: F821
        debugger.forward_backward_dump_end()
    loss = (output - label).square().mean()
    loss.backward()
    debugger.stop()
    debugger.step()
