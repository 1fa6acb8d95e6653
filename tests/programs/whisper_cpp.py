"""whisper.cpp's MUSA backend, unmodified, on the simulated SDK: build it, run its tests, compare words with the CPU's.

    export WHISPER_CPP=CHECKOUT
    python -m tests.programs.whisper_cpp build --minutes 10   # continues where it ended
    python -m tests.programs.whisper_cpp tests                # those of its own that need no download
    python -m tests.programs.whisper_cpp words                # a random model in several types
    python -m tests.programs.whisper_cpp record               # docs/moore-threads-programs.md

What is made is kept in its cache folder.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # sdists.py, which pytest finds by itself

from sdists import CACHE

from .ggml import build, compiled, own_tests, read_tests, running
from .record import Record, Tests, keep

VERSION = "233fe1f"
COMMAND = 'cmake -B build -DGGML_MUSA=1 -DMUSA_ARCHITECTURES="31"\ncmake --build build --config Release'
FLAGS = ("-DGGML_MUSA=1", "-DMUSA_ARCHITECTURES=31")
HOME = CACHE / "programs" / f"whisper.cpp-{VERSION}"
BUILD, WORDS = HOME / "build", HOME / "words.json"
HERE = Path(__file__).resolve().parent
#: the types of the model's matrices. With quantised ones, the CPU and the device round what they multiply to 8 bits in
#: different ways, on which a random model's words depend.
TYPES = ("f32", "f16")
#: its own tests, without the one whose model is a download, and those of the three largest models, which take an hour.
#: The models have words and no matrices: each test runs the whole network, and what it hears means nothing.
OWN_TESTS = ("-E", "test-vad-full|cli-medium|cli-large")
#: greedy, with no second try, so that nothing is drawn by chance
GREEDY = ("-l", "en", "-nt", "-nf", "-bs", "1", "-bo", "1", "-t", "1")
#: how far the probability of a word on the device may be from the CPU's: the other recording's is further
NEAR = 0.03
#: the part of the record's `left` that the tests do not show
LEFT = (
    "`cmake --build build --config Release` ends with status 0: 125 files of the MUSA backend and all programs, in "
    "33 minutes of CPU, 19 of a busy machine.",
    "Its own tests are those of the models tiny, base and small, of the speech detector, of parakeet and of UTF-8. "
    "The models of the repository have words and no matrices: what they hear means nothing. Not run: the "
    "models medium, medium.en and large, which take many minutes each, and test-vad-full, whose model is a download. "
    "The repository has no test-backend-ops.",
    "The words are those of its own whisper-cli and ggml 0.21.0. The random model has whisper's vocabulary and "
    "spectrum, 4 layers and a width of 128.",
    "With matrices in q5_0, the device has 33 of the CPU's 36 words (ggml 0.25.3). Both are further from f32's than "
    "from each other: a random model's words depend on the rounding to 8 bits. In q8_0, the CPU backend ended with an "
    "illegal instruction of its AMX code on this machine, so that there is nothing to compare with.",
)
Word = tuple[int, float]


def source() -> Path:
    """Return the checkout that the variable names."""
    if "WHISPER_CPP" not in os.environ:
        raise SystemExit(f"error: the variable WHISPER_CPP must name a checkout; see the docstring of {__name__}")
    return Path(os.environ["WHISPER_CPP"]).resolve()


def write_recording(path: Path, seed: int) -> None:
    """Write four seconds of tones that swell, and noise, always the same for a seed."""
    rng = np.random.default_rng(seed)
    time = np.arange(4 * 16000) / 16000
    tones = zip(rng.uniform(100, 4000, 6), rng.uniform(0.3, 4, 6))
    sound = sum(np.sin(2 * np.pi * tone * time) * np.abs(np.sin(np.pi * swell * time)) for tone, swell in tones) / 8
    sound = np.clip(sound + 0.02 * rng.standard_normal(time.size), -1, 1)
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(16000)
        out.writeframes((sound * 32767).astype("<i2").tobytes())


def heard(program: Path, model: Path, recording: Path, *words: str) -> list[Word]:
    """Return the numbers of the words that a program hears, and their probabilities."""
    written = HOME / "heard"
    command = [program, "-m", model, "-f", recording, *GREEDY, "-ojf", "-of", written, *words]
    done = subprocess.run(command, env=running(), capture_output=True, check=True)
    on_device = b"using MUSA0 backend" in done.stderr + done.stdout
    if on_device == ("-ng" in words):
        raise SystemExit(f"error: {program.name} {' '.join(words)} ran on the {'device' if on_device else 'CPU'}")
    # the words of a random model are no text
    found = json.loads(written.with_suffix(".json").read_text(encoding="utf-8", errors="replace"))
    return [(word["id"], word["p"]) for part in found["transcription"] for word in part["tokens"]]


def is_near(one: list[Word], other: list[Word]) -> bool:
    """Return whether both are the same words, with probabilities that differ little."""
    same = [word for word, _ in one] == [word for word, _ in other]
    return same and all(abs(p - q) < NEAR for (_, p), (_, q) in zip(one, other))


def words(program: Path) -> None:
    """Compare what the CPU and the device hear, with a random model in each type, in two recordings."""
    recordings = [HOME / f"recording-{seed}.wav" for seed in (1, 2)]
    for seed, recording in enumerate(recordings, 1):
        write_recording(recording, seed)
    found: dict[str, bool] = {}
    for kind in TYPES:
        model, test_model = HOME / f"{kind}.bin", source() / "models/for-tests-ggml-tiny.bin"
        subprocess.run([sys.executable, HERE / "random_whisper.py", test_model, model, kind], check=True)
        for attention in ("-fa", "-nfa"):
            cpu = [heard(program, model, recording, attention, "-ng") for recording in recordings]
            if is_near(*cpu):
                raise SystemExit(f"error: {model} hears the same in both recordings: it can show no difference")
            device = [heard(program, model, recording, attention) for recording in recordings]
            found[f"{kind} {attention}"] = all(map(is_near, cpu, device))
            print(kind, attention, found[f"{kind} {attention}"], flush=True)
    WORDS.write_text(json.dumps(found, indent=1))


def record() -> None:
    """Keep what was found, and write the page."""
    tests, failed = read_tests(BUILD)
    left = list(LEFT)
    left += [f"its own test {name}" for name in failed]
    if WORDS.is_file():
        same = json.loads(WORDS.read_text())
        kinds = ", ".join(dict.fromkeys(name.split()[0] for name in same))
        what = f"the CPU's words, with and without -fa: {kinds}"
        tests += (Tests(what, sum(same.values()), len(same) - sum(same.values())),)
        left += [f"other words than the CPU's: {name}" for name, equal in same.items() if not equal]
    done, files = compiled(BUILD)
    today = datetime.date.today().isoformat()
    keep(Record("whisper.cpp", VERSION, today, COMMAND, files, done, tests, tuple(left)))


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("build").add_argument("--minutes", type=float, default=10)
    for step in ("tests", "words", "record"):
        steps.add_parser(step)
    steps.choices["words"].add_argument("--program", type=Path, default=BUILD / "bin" / "whisper-cli")
    given = parser.parse_args()
    HOME.mkdir(parents=True, exist_ok=True)
    if given.step == "build":
        build(source(), BUILD, FLAGS, given.minutes)
    elif given.step == "tests":
        own_tests(BUILD, OWN_TESTS, seconds=600)
    elif given.step == "words":
        words(given.program)
    else:
        record()


if __name__ == "__main__":
    main()
