"""CUDA's names mean MUSA while the shim is installed, and nothing of it is left afterwards."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from musa_tools import cuda_compat
from musa_tools.errors import ToolError

pytestmark = pytest.mark.compiles  # `musa` is compiled code


@pytest.fixture
def compat() -> Iterator[None]:
    cuda_compat.install()
    yield
    cuda_compat.restore()


def state() -> dict[str, Any]:
    """Everything that the shim replaces."""
    owners = [torch, torch.Tensor, torch.nn.Module, torch.amp, torch.amp.autocast_mode.autocast, torch.amp.GradScaler]
    owners += [torch.distributed, torch.distributed.distributed_c10d]
    found = {f"{owner}.{name}": id(value) for owner in owners for name, value in vars(owner).items()}
    found.update({name: id(module) for name, module in sys.modules.items() if name.startswith("torch.cuda")})
    return {**found, "modes": torch.overrides._get_current_function_mode()}


def test_nothing_is_left_after_restore() -> None:
    before = state()
    cuda_compat.install()
    cuda_compat.install()
    assert cuda_compat.installed() and state() != before
    cuda_compat.restore()
    cuda_compat.restore()
    assert not cuda_compat.installed() and state() == before


def test_devices(compat: None) -> None:
    assert torch.device("cuda:0" if torch.cuda.is_available() else "cpu") == torch.device("musa:0")
    x = torch.ones(2, device="cuda")
    assert x.device.type == "musa" and x.is_cuda and not torch.ones(2).is_cuda
    for y in (
        torch.ones(2).to("cuda"),
        torch.ones(2).to(torch.device("cuda", 0)),
        torch.ones(2).cuda(),
        torch.ones(2).cuda("cuda:0", non_blocking=True),
        torch.empty_like(x, device="cuda:0"),
        torch.ones(2).type("torch.cuda.FloatTensor"),
        torch.rand(2, generator=torch.Generator("cuda"), device="cuda"),
        torch.nn.Linear(2, 2).cuda().weight,
        torch.nn.Linear(2, 2, device="cuda").weight,
    ):
        assert y.device == torch.device("musa:0")
    assert isinstance(torch.Generator(), torch.Generator)
    assert torch.equal(torch.einsum("cuda", torch.ones(1, 1, 1, 1)), torch.ones(1, 1, 1, 1).permute(3, 0, 2, 1))


def test_devices_that_were_made_before() -> None:
    device = torch.device("cuda:0")
    cuda_compat.install()
    try:
        assert torch.ones(2, device=device).device.type == "musa"
    finally:
        cuda_compat.restore()


def test_names_of_torch_cuda(compat: None) -> None:
    import torch.cuda.amp as amp
    from torch.cuda import Event, Stream
    from torch.cuda.amp import GradScaler

    assert torch.cuda.device_count() == torch.musa.device_count()
    assert Stream is torch.musa.Stream and Event is torch.musa.Event
    assert GradScaler is torch.musa.amp.GradScaler and amp is torch.musa.amp
    assert "synchronize" in dir(torch.cuda) and not hasattr(torch.cuda, "jiterator")
    with pytest.raises(AttributeError, match=r"torch\.cuda\.jiterator has no counterpart in torch\.musa"):
        torch.cuda.jiterator  # noqa: B018


def test_training(compat: None) -> None:
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(), torch.nn.Linear(4, 1)).cuda()
    optimizer, scaler = torch.optim.AdamW(model.parameters(), 0.1), torch.amp.GradScaler()
    before = [parameter.detach().clone() for parameter in model.parameters()]
    for _ in range(2):
        with torch.autocast("cuda"), torch.amp.autocast(device_type="cuda", dtype=torch.bfloat16):
            result = model(torch.ones(8, 4, device="cuda"))
            assert result.dtype == torch.bfloat16
        scaler.scale(result.float().mean()).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    assert any(not torch.equal(old, new) for old, new in zip(before, model.parameters()))


def test_files(compat: None, tmp_path: Path) -> None:
    torch.save(torch.ones(2, device="cuda"), tmp_path / "a.pt")
    for location in (None, "cuda", "cuda:0", {"cuda:0": "cuda:0"}, {"musa:0": "cuda:0"}, torch.device("cuda", 0)):
        assert torch.load(tmp_path / "a.pt", location).device.type == "musa"
    assert torch.load(tmp_path / "a.pt", map_location="cpu").device.type == "cpu"


def test_a_file_that_was_written_on_cuda(compat: None) -> None:
    buffer = io.BytesIO()
    torch.save(torch.ones(2, device="cuda"), buffer)
    content = buffer.getvalue().replace(b"musa:0", b"cuda:0")  # as CUDA's tag; both are six letters
    assert content != buffer.getvalue()
    assert torch.load(_repacked(content)).device.type == "musa"
    assert torch.load(_repacked(content), {"cuda:0": "cpu"}).device.type == "cpu"


def _repacked(content: bytes) -> io.BytesIO:
    """A zip file whose contents were edited, with right checksums."""
    import zipfile

    class Lenient(zipfile.ZipExtFile):
        def _update_crc(self, newdata: bytes) -> None:
            pass

    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_STORED) as new:
        for info in old.infolist():
            with old.open(info) as stream:
                stream.__class__ = Lenient
                new.writestr(info.filename, stream.read())
    result.seek(0)
    return result


def test_process_groups(compat: None) -> None:
    there = "mccl" in torch.distributed.Backend.backend_list
    assert torch.distributed.is_nccl_available() == there
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if there:
            torch.distributed.init_process_group("nccl", store=torch.distributed.HashStore(), rank=0, world_size=1)
            assert torch.distributed.get_backend() == "mccl"
            torch.distributed.destroy_process_group()
        else:  # the name got there
            with pytest.raises(Exception, match="mccl"):
                torch.distributed.init_process_group("nccl", init_method="tcp://127.0.0.1:1", rank=0, world_size=1)


def test_pytorch_itself_sees_things_as_they_are(compat: None) -> None:
    """It calls torch.cuda in many functions, and would choose CUDA's paths."""
    from torch.testing._internal import common_cuda

    assert not common_cuda.TEST_CUDA
    torch.testing.assert_close(torch.ones(2, device="cuda"), torch.ones(2, device="cuda"))
    torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(2, device="cuda", requires_grad=True), use_reentrant=False)
    loader = torch.utils.data.DataLoader(torch.arange(4), batch_size=2)
    assert [batch.cuda().tolist() for batch in loader] == [[0, 1], [2, 3]]


def test_report_names_the_first_line(compat: None) -> None:
    torch.ones(2, device="cuda")
    torch.ones(2, device="cuda")
    (line,) = [line for line in cuda_compat.report().splitlines() if "'cuda'" in line]
    assert line.startswith(f"  'cuda' -> 'musa': 2x, first in {__file__}:")


def test_other_threads_have_no_mode_but_the_rest(compat: None) -> None:
    found: list[Any] = []

    def run() -> None:
        found.append(torch.ones(2).cuda().is_cuda)
        try:
            torch.ones(2, device="cuda")
        except (RuntimeError, AssertionError) as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found[0] is True and "CUDA" in str(found[1])


def test_restore_inside_of_another_mode_is_refused(compat: None) -> None:
    with torch.device("cpu"), pytest.raises(ToolError, match="torch function modes"):

        class Other(torch.overrides.TorchFunctionMode):
            pass

        with Other():
            cuda_compat.restore()


def test_refused_beside_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    with pytest.raises(ToolError, match="CUDA device is available"):
        cuda_compat.install()
    assert not cuda_compat.installed()


SCRIPT = """
import os, sys, torch
print(sys.argv, __name__, torch.ones(2, device="cuda").device, os.environ.get("MCCL_DEBUG"))
sys.exit(5)
"""


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    command = [sys.executable, "-m", "musa_tools.cuda_compat", *map(str, arguments)]
    cwd = Path(__file__).resolve().parents[2]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}, cwd=cwd
    )


@pytest.mark.slow
def test_the_runner(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    done = run(script, "--lr", "1", NCCL_DEBUG="INFO")
    assert done.returncode == 5, done.stderr
    assert done.stdout == f"{[str(script), '--lr', '1']} __main__ musa:0 INFO\n"
    assert f"'cuda' -> 'musa': 1x, first in {script}:3" in done.stderr
    assert "translated" not in run("-q", script).stderr
    done = run("-q", "-m", "json.tool", "--help")
    assert done.returncode == 0 and "usage:" in done.stdout


@pytest.mark.slow
def test_the_runners_mistakes() -> None:
    assert run("--help").returncode == 0
    assert run().returncode == 2 and "usage:" in run().stderr


def test_import_installs() -> None:
    code = (
        "import torch_musa.cuda_compat as c, torch; print(torch.ones(2).cuda().device); c.restore();"
        "print(torch.cuda.is_available())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "musa:0\nFalse\n", done.stderr
