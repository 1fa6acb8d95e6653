"""Finding the SDK: order, shape, and the simulated one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from musa_build.builder.spec import extension_requirements
from musa_build.environment import sdk
from musa_build.environment.sdk import MusaSdk
from musa_build.environment.settings import Settings
from musa_build.environment.torch_info import TorchInfo, TorchMusa, installed_torch_version, mismatch, other_sdk
from musa_build.errors import SdkNotFoundError

TORCH = TorchInfo("2.13.0+cpu", (Path("/t/torch/include"),), (Path("/t/torch/lib"),))


def make_sdk(root: Path, **modules: object) -> Path:
    for name in ("bin", "lib", "include"):
        (root / name).mkdir(parents=True)
    (root / "bin" / "mcc").write_text("#!/bin/sh\n")
    (root / "bin" / "mcc").chmod(0o755)
    (root / "version.json").write_text(json.dumps(modules))
    return root


def test_torchs_version_has_the_local_part_that_its_metadata_lack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "from typing import Optional\n__all__ = ['__version__']\n__version__ = '2.7.1+cu126'\n"
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise RuntimeError('it is not imported')\n")
    for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert installed_torch_version() == "", "its file is missing"
    (tmp_path / "torch" / "version.py").write_text(text)
    assert installed_torch_version() == "2.7.1+cu126"


def test_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, path, mcc = (make_sdk(tmp_path / name) for name in ("home", "path", "mcc"))
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "mcc").symlink_to(mcc / "bin" / "mcc")
    monkeypatch.setenv("PATH", str(tmp_path / "links"))
    found = MusaSdk.find(Settings({"MUSA_HOME": str(home), "MUSA_PATH": str(path)}, {}))
    assert (found.root, found.origin) == (home, "MUSA_HOME")
    assert MusaSdk.find(Settings({"MUSA_PATH": str(path)}, {})).root == path
    on_path = MusaSdk.find(Settings({}, {}))
    assert (on_path.root, on_path.origin) == (mcc, "mcc on PATH"), "through the link to where the SDK is"


def test_default_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [str(root) for root in sdk.DEFAULT_ROOTS] == ["/usr/local/musa", "/opt/musa"]
    folders = (tmp_path / "local", tmp_path / "opt")
    monkeypatch.setattr(sdk, "DEFAULT_ROOTS", folders)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(SdkNotFoundError) as raised:
        MusaSdk.find(Settings({}, {}))
    assert all(str(folder) in str(raised.value) for folder in folders)
    for folder in reversed(folders):
        make_sdk(folder)
        found = MusaSdk.find(Settings({}, {}))
        assert (found.root, found.origin) == (folder, "the default path")


def test_what_a_root_says(tmp_path: Path) -> None:
    real = MusaSdk.at(make_sdk(tmp_path / "a", musa_toolkits={"version": "4.3.0"}), "MUSA_HOME")
    assert (real.version, real.simulated) == ("4.3.0", False)
    assert real.library_dirs == (tmp_path / "a" / "lib",)
    simulated = MusaSdk.at(make_sdk(tmp_path / "b", musa_sim={"version": "1"}, musa_runtime={"version": "5.1.0"}), "x")
    assert (simulated.version, simulated.simulated) == ("5.1.0", True)
    (tmp_path / "b" / "lib64").mkdir()
    assert simulated.library_dirs == (tmp_path / "b" / "lib", tmp_path / "b" / "lib64")
    (tmp_path / "b" / "version.json").write_text("{broken")
    assert MusaSdk.at(tmp_path / "b", "x").version == ""
    assert real.cards() == (), "no libmusart, no cards"
    with pytest.raises(SdkNotFoundError, match="MUSA_HOME does not point to a MUSA SDK"):
        MusaSdk.at(tmp_path, "MUSA_HOME")


def test_needs_of_an_extension(tmp_path: Path) -> None:
    sdk = MusaSdk.at(make_sdk(tmp_path / "sdk"), "MUSA_HOME")
    root = tmp_path / "site" / "torch_musa"
    (root / "share/generated_cuda_compatible/include").mkdir(parents=True)
    (root / "lib").mkdir()
    needs = extension_requirements("pkg.sub._C", TORCH, TorchMusa(root), sdk, limited_api=False)
    ported = str(root / "share/generated_cuda_compatible/include")
    assert needs.include_dirs == (ported, "/t/torch/include", str(sdk.include_dir), str(root.parent))
    assert needs.libraries == ("c10", "torch", "torch_cpu", "torch_python", "musart")
    assert needs.run_paths == ("$ORIGIN/../../torch/lib", "$ORIGIN/../../torch_musa/lib", "$ORIGIN/lib")
    (root / "lib/libmusa_python.so").touch()
    vendors = extension_requirements("_C", TORCH, TorchMusa(root), sdk, limited_api=True).libraries
    assert vendors == ("c10", "torch", "torch_cpu", "musa_python", "musart")
    (root / "lib/libtorch_musa.so").touch()
    ours = extension_requirements("_C", TORCH, TorchMusa(root), sdk, limited_api=False).libraries
    assert ours == ("c10", "torch", "torch_cpu", "torch_python", "musa_python", "torch_musa", "musart")
    for name in ("torch_musa.lib.libmusa_python", "torch_musa.lib.libtorch_musa"):
        own = extension_requirements(name, TORCH, TorchMusa(root), sdk, limited_api=False)
        assert own.libraries == ("c10", "torch", "torch_cpu", "musart"), "a library does not link to its older self"
    alone = extension_requirements("_C", TORCH, None, sdk, limited_api=False)
    assert alone.run_paths[0] == "$ORIGIN/torch/lib" and str(tmp_path / "site") not in alone.include_dirs


@pytest.mark.parametrize(
    ("release", "floor"), [("2.2.0", "c++17"), ("2.12.1+cu128", "c++17"), ("2.13.0a0+git", "c++20"), ("3.0", "c++20")]
)
def test_floor_of_a_torch_release(release: str, floor: str) -> None:
    assert TorchInfo(release, (), ()).cxx_floor == floor


def test_the_simulated_sdk_is_found_by_asking(sim_sdk_root: Path, tmp_path: Path) -> None:
    sdk = MusaSdk.find(Settings({"MUSA_BUILD_SIMULATOR": "1", "MUSA_HOME": str(tmp_path)}, {}))
    assert sdk.root.parent == sim_sdk_root.parent and sdk.simulated and sdk.version
    assert [card.name for card in sdk.cards()][:1] == ["mp_22"]


def test_a_torch_musa_of_another_sdk(tmp_path: Path) -> None:
    """Real libraries: linked to an SDK whose runtime has another version, or which is elsewhere."""
    source = tmp_path / "empty.c"
    source.write_text("int musaNothing(void) { return 0; }\n")
    roots = {version: make_sdk(tmp_path / f"sdk-{version}") for version in ("4", "5")}

    def compile(output: Path, *options: str) -> None:
        output.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-shared", "-o", str(output), str(source), *options], check=True)

    for version, root in roots.items():
        compile(root / "lib" / f"libmusart.so.{version}", f"-Wl,-soname,libmusart.so.{version}")
    built_with = str(roots["5"] / "lib")
    torch_musa = TorchMusa(tmp_path / "site" / "torch_musa")
    link = ("-Wl,--no-as-needed", f"-L{built_with}", "-l:libmusart.so.5", f"-Wl,-rpath,{built_with}")
    compile(torch_musa.library_dir / "libmusa_python.so", *link)
    old, new = (MusaSdk.at(root, "MUSA_HOME") for root in roots.values())
    assert mismatch(torch_musa, new) is None and other_sdk(torch_musa, new) is None
    error = mismatch(torch_musa, old)
    assert error is not None and "found: libmusart.so.4" in str(error) and "wanted: libmusart.so.5" in str(error)
    assert other_sdk(torch_musa, old) == roots["5"]
    assert mismatch(None, old) is None and mismatch(TorchMusa(tmp_path), old) is None
