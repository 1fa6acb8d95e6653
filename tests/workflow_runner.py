"""Runs the steps of a workflow for GitHub Actions as its machines do: each on a new one, with earlier runs' caches.

A step of an unknown kind, or an expression without a value, is an error. So a test reads the workflow itself
and not a copy of its commands.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

_EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")


@dataclass
class Run:
    """The outcome of one run: its exit status, the output of each step by name, and the artefacts that it uploaded."""

    status: int = 0
    outputs: dict[str, str] = field(default_factory=dict)
    artefacts: dict[str, list[Path]] = field(default_factory=dict)
    #: The `path` of a cache step -> the key of the cache that was restored, or "" if there was none
    restored: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Runner:
    """A machine for workflows. Each run makes `home` and `work` anew; `kept` holds caches and artefacts."""

    kept: Path
    home: Path
    work: Path

    def run(
        self,
        workflow: Path,
        repository: Path,
        values: Mapping[str, str],
        environment: Mapping[str, str],
        leave_out: Callable[[str], bool] = lambda command: False,
    ) -> Run:
        """Run the steps of the only job of `workflow`, a path in `repository`.

        Args:
            values: What the expressions stand for, such as "github.sha".
            environment: The variables of the machine.
            leave_out: Whether a command cannot be run here.
        """
        for folder in (self.home, self.work):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        (job,) = yaml.safe_load((repository / workflow).read_text(encoding="utf-8"))["jobs"].values()
        variables = {**environment, **job.get("env", {}), "HOME": str(self.home)}
        run, to_save = Run(), []
        for number, step in enumerate(job["steps"]):
            if run.status and step.get("if") != "always()":
                continue
            name = step.get("name") or step.get("uses") or str(number)
            given = {key: _substituted(str(value), values) for key, value in step.get("with", {}).items()}
            action = step.get("uses", "").partition("@")[0]
            if action == "actions/checkout":
                shutil.copytree(repository, self.work, dirs_exist_ok=True)
            elif action == "actions/setup-python":
                key = (self.work / given["cache-dependency-path"]).read_text(encoding="utf-8")
                to_save.append(self._restore(run, "~/.cache/pip", f"{given['cache']}-{_digest(key)}", ""))
            elif action == "actions/cache":
                to_save.append(self._restore(run, given["path"], given["key"], given["restore-keys"]))
            elif action == "actions/upload-artifact":
                found = [path for path in self.work.glob(given["path"]) if path.is_file()]
                assert found or given["if-no-files-found"] == "ignore", f"nothing to upload: {given['path']}"
                folder = self.kept / "artefacts" / values["github.sha"] / given["name"]
                folder.mkdir(parents=True)
                run.artefacts[given["name"]] = [Path(shutil.copy(path, folder)) for path in found]
            elif "run" in step:
                self._execute(run, name, _substituted(step["run"], values), variables, leave_out)
            else:
                raise AssertionError(f"an action that is not known here: {step}")
        if run.status == 0:
            for paths, key in to_save:
                self._save(paths, key)
        return run

    def _execute(
        self, run: Run, name: str, command: str, variables: Mapping[str, str], leave_out: Callable[[str], bool]
    ) -> None:
        if leave_out(command):
            return
        done = subprocess.run(
            ["bash", "-e", "-c", command],
            cwd=self.work,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        run.outputs[name], run.status = done.stdout, done.returncode

    def _restore(self, run: Run, paths: str, key: str, prefixes: str) -> tuple[str, str]:
        """Restore the newest cache of this key, or of one that begins with a prefix. Return what to save at the end."""
        caches = sorted((self.kept / "caches").glob("*/key"), key=lambda path: int(path.parent.name), reverse=True)
        for matches in (key.__eq__, lambda saved: any(saved.startswith(each) for each in prefixes.split())):
            for cache in (path for path in caches if matches(path.read_text(encoding="utf-8"))):
                run.restored[paths] = cache.read_text(encoding="utf-8")
                for number, path in enumerate(paths.split()):
                    if (cache.parent / str(number)).exists():
                        shutil.copytree(cache.parent / str(number), self._at_home(path), symlinks=True)
                return paths, (
                    "" if run.restored[paths] == key else key
                )  # a cache under its own key is not saved again
        run.restored[paths] = ""
        return paths, key

    def _save(self, paths: str, key: str) -> None:
        if not key:
            return
        caches = self.kept / "caches"
        cache = caches / str(len([*caches.iterdir()]) if caches.exists() else 0)
        cache.mkdir(parents=True)
        for number, path in enumerate(paths.split()):
            if self._at_home(path).exists():
                shutil.copytree(self._at_home(path), cache / str(number), symlinks=True)
        (cache / "key").write_text(key, encoding="utf-8")

    def _at_home(self, path: str) -> Path:
        assert path.startswith("~/"), path
        return self.home / path[2:]


def _substituted(text: str, values: Mapping[str, str]) -> str:
    return _EXPRESSION.sub(lambda match: values[match[1]], text)


def _digest(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:16]
