"""Write the gallery: a page for each real package that was tried, made of what the repository records.

    python docs/site/gallery.py corpus.html    # the same as one page, which needs no site; `make corpus` writes it

The records are docs/corpus-records.json, which tests/corpus/record.py writes, and the tables and the list of failures
in docs/corpus.md. What they do not say is "not recorded". gallery_pictures.py draws what has figures.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from musa_build import html_pages

sys.path.insert(0, str(Path(__file__).parent))
import gallery_pictures

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "docs" / "corpus.md"
RUNS = ROOT / "docs" / "corpus-records.json"
FORCED = ROOT / "tests" / "corpus" / "forced.py"
_PACKAGE = re.compile(r"(?P<name>[a-z][\w-]*) (?P<version>\d[\w.]*)(?P<rest>.*)")
_FAILURE = re.compile(
    r"^- (?P<name>[a-z][\w-]*) (?P<version>\d[\w.]*)(?:, CPU)?: (?P<text>.+?)(?=\n- |\Z)", re.M | re.S
)
NOT_RECORDED = "not recorded"
# The headings of the tables in docs/corpus.md, and what a page calls them
COLUMNS = {
    "ported unchanged": "ported unchanged",
    "builds": "built",
    "runs and agrees": "agrees",
    "agrees": "agrees",
    "mcc, nvcc": "CPU time of mcc, of nvcc",
    "defects found by the checks": "found by the checks",
    "how far it comes": "how far it comes",
    "what stops it": "what stops it",
}
ALWAYS_BESIDE_A_RUN = ("CPU time of mcc, of nvcc",)
ALWAYS = ("built", "agrees", *ALWAYS_BESIDE_A_RUN, "found by the checks")


@dataclass
class Package:
    """All that is recorded of a package. `rows` are its rows in the tables: the part that is meant, and its values.

    `run` is the last run of tests/corpus/record.py, in words, `build` the figures of its build; `findings` is what the
    checks said in it.
    """

    name: str
    version: str
    rows: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    run: dict[str, str] = field(default_factory=dict)
    build: dict[str, int] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)

    @property
    def requirement(self) -> str:
        """The package as pip names it."""
        return f"{self.name}=={self.version}"


def tables(text: str) -> Iterator[list[dict[str, str]]]:
    """Yield the tables of a page of Markdown, as rows by their headings."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in block.splitlines()]
        yield [dict(zip((cell.strip() for cell in lines[0]), line)) for line in lines[2:]]


def packages() -> dict[str, Package]:
    """Return the packages of docs/corpus.md by their names."""
    text = RECORDS.read_text(encoding="utf-8")
    found: dict[str, Package] = {}
    for table in tables(text):
        for row in table:
            match = _PACKAGE.match(row.get("package", ""))
            if match:
                package = found.setdefault(match["name"], Package(match["name"], match["version"]))
                said = {name: value for name, value in row.items() if name in COLUMNS and value != "-"}
                values = {COLUMNS[name]: value.removesuffix(" (below)") for name, value in said.items()}
                package.rows.append((match["rest"].strip(" :,"), values))
    for requirement in forced():
        name, _, version = requirement.partition("==")
        found.setdefault(name, Package(name, version, [("", {})]))
    for requirement, record in runs().items():
        package = found[requirement.partition("==")[0]]
        package.run = in_words(record)
        package.build = record["build"] or {}
        package.findings = record["checked"]["findings"] if record["checked"] else []
    for match in _FAILURE.finditer(text[text.index("## Known failures") :]):
        if match["name"] in found:
            found[match["name"]].failures.append(" ".join(match["text"].split()))
    return found


def runs() -> dict[str, dict[str, Any]]:
    """Return the records of tests/corpus/record.py, by requirement."""
    recorded: dict[str, dict[str, Any]] = json.loads(RUNS.read_text(encoding="utf-8"))
    return recorded


def in_words(record: Mapping[str, Any]) -> dict[str, str]:
    """Return a record of tests/corpus/record.py as the rows of a table."""
    words = {"date": record["date"]}
    build, checked = record["build"], record["checked"]
    if build:
        words["time"] = f"{build['seconds']} s of CPU for the whole build, pip and porting included"
        words["ported"] = ", ".join(_count(build[what], what) for what in ("files", "edits", "warnings"))
        made = ", ".join(_count(build[what], what) for what in ("sources", "extensions"))
        words["compiled"] = f"{made}, at level {build['level']}"
    else:
        words["time"] = "compiled when it is used"
    for warp, result in record["warps"].items():
        words[f"warps of {warp}"] = "its kernels are written for 32" if result.startswith("written for 32") else result
    if checked:
        count = _count(len(checked["findings"]), "findings")
        words[f"checks: {checked['checks'].replace(',', ', ')}"] = f"{count}; {_ending(checked['ended'])}"
    return words


def _count(number: int, plural: str) -> str:
    return f"{number} {plural if number != 1 else plural.removesuffix('s')}"


def _ending(ended: str) -> str:
    return "the comparison passed" if ended == "to its end" else f"the comparison ended with an error: {ended}"


def forced() -> Mapping[str, str]:
    """Return the requirements that tests/corpus installs by FORCE_MUSA=1, with the scripts that run them."""
    for node in ast.parse(FORCED.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PACKAGES":
            tests: dict[str, str] = ast.literal_eval(node.value)
            return tests
    raise ValueError(f"{FORCED} has no PACKAGES")


def command(package: Package, tests: Mapping[str, str]) -> str:
    """Return the command that the tests or docs/mmcv.md use, or "" if none is recorded."""
    if package.name == "mmcv":
        return f"musa-build install --keep-going {package.requirement}"
    if package.requirement in tests:
        return f"FORCE_MUSA=1 pip install --no-build-isolation --no-deps {package.requirement}"
    return ""


def panels(package: Package) -> list[gallery_pictures.Panel]:
    """Return the panels of the picture of a package: the records that can be drawn."""
    found: list[gallery_pictures.Panel] = []
    for _, values in package.rows:
        found += gallery_pictures.cost(values.get("CPU time of mcc, of nvcc", ""))
    found += gallery_pictures.findings(package.findings)
    if package.name == "mmcv":
        table = next(tables(results_section()))
        found += gallery_pictures.types(table, [*table[0]][-1])
    return found or gallery_pictures.size(package.build)


def picture(package: Package) -> str:
    """Return the picture of a package in Markdown, or why it has none."""
    drawn = panels(package)
    if drawn:
        return f"![{' '.join(panel.about for panel in drawn)}]({package.name}.svg)"
    if not package.run:
        return "No picture: it does not build yet, so nothing of it has figures."
    return "No picture: of its build, the checks and nvcc's time, nothing is recorded."


def page(package: Package, tests: Mapping[str, str]) -> str:
    """Return the page of a package."""
    lines = [f"# {package.name} {package.version}", "", picture(package), ""]
    how = command(package, tests)
    if how:
        lines += ["```sh", how, "```", ""]
    for part, values in package.rows:
        if part and len(package.rows) > 1:
            lines += [f"**{part}**", ""]
        lines += ["| what | recorded |", "|---|---|"]
        whole = values is package.rows[0][1] and "how far it comes" not in values
        always = ALWAYS_BESIDE_A_RUN if package.run else ALWAYS
        wanted = [*values, *(name for name in always if whole and name not in values)]
        lines += [f"| {name} | {values.get(name, NOT_RECORDED)} |" for name in wanted]
        if how and package.requirement in tests:
            lines.append(f"| test | `tests/corpus/{tests[package.requirement]}`, by `make corpus` |")
        lines.append("")
    if package.run:
        lines += ["## The last run", "", "| what | seen |", "|---|---|"]
        lines += [f"| {name} | {value} |" for name, value in package.run.items()]
        lines.append("")
    if package.findings:
        lines += ["What the checks said:", "", *(f"- {text}" for text in package.findings), ""]
    if package.name == "mmcv":
        lines += [*results_of_mmcv(), "", "All operators, with the types that agree: [mmcv.md](../mmcv.md).", ""]
    if package.failures:
        lines += [
            "## Bugs of the package, on any device",
            "",
            *(f"- {text[0].upper()}{text[1:]}" for text in package.failures),
            "",
        ]
    lines += [
        "Run on the simulator. Not verified on MUSA hardware. Versions and dates: [Real packages](../corpus.md).",
        "",
    ]
    return "\n".join(lines)


def results_section() -> str:
    """Return the results in docs/mmcv.md."""
    text = (ROOT / "docs" / "mmcv.md").read_text(encoding="utf-8")
    return text[text.index("## Results") :]


def results_of_mmcv() -> list[str]:
    """Return the result of the last run that docs/mmcv.md gives: `make mmcv` is a run of its own."""
    results = results_section()
    return ["## The last run", "", results.split("\n\n")[1], "", *re.findall(r"^- .*", results.split("\n\n")[2], re.M)]


def index(found: Sequence[Package]) -> str:
    """Return the page that lists the packages."""
    lines = [
        "# Gallery",
        "",
        "Real CUDA packages, what was done with them and what came of it, as [Real packages](../corpus.md) records it.",
        "",
        "- *Built*: what was compiled. The [level](../force-musa.md#levels-how-much-cuda-a-setuppy-sees), from 1 to 5, "
        "is how much of CUDA the package's setup.py had to see.",
        "- *Time*: CPU time of the whole build.",
        "- *Checks*: how many defects the [checks](../simulator-checks.md) found in the package's kernels while its "
        "results were compared. A defect may end the comparison with the error that is named.",
        "",
        "| package | built | time | checks |",
        "|---|---|---|---|",
    ]
    for package in found:
        values = {name: value for _, row in reversed(package.rows) for name, value in row.items()}
        built = package.run.get("compiled") or values.get("built") or values.get("how far it comes", NOT_RECORDED)
        checks = next((value for name, value in package.run.items() if name.startswith("checks:")), NOT_RECORDED)
        time = package.run.get("time", NOT_RECORDED).partition(" for the whole build")[0]
        cells = [f"[{package.name} {package.version}]({package.name}.md)", built, time, checks]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def write(folder: Path) -> None:
    """Write all pages to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    found, tests = packages(), forced()
    for package in found.values():
        (folder / f"{package.name}.md").write_text(page(package, tests), encoding="utf-8")
        drawn = panels(package)
        if drawn:
            text = gallery_pictures.svg(f"{package.name} {package.version}", drawn)
            (folder / f"{package.name}.svg").write_text(text, encoding="utf-8")
    (folder / "README.md").write_text(index(list(found.values())), encoding="utf-8")


@dataclass(frozen=True)
class Row:
    """A package in the report: the state by which the page filters, in words too, and the command."""

    package: Package
    state: str
    words: str
    command: str


def rows(tests: Mapping[str, str]) -> list[Row]:
    """Return the packages as rows, those that run first."""
    words = {"good": "runs and agrees", "unsure": "does not build yet", "plain": "no result recorded"}
    found = []
    for package in packages().values():
        names = {name for _, values in package.rows for name in values}
        state = "good" if "agrees" in names else "unsure" if "what stops it" in names else "plain"
        found.append(Row(package, state, words[state], command(package, tests)))
    return sorted(found, key=lambda row: [*words].index(row.state))


def report() -> str:
    """Return all packages as one HTML page, in the style of the other reports."""
    found = rows(forced())
    counts = Counter(row.state for row in found)
    names = (("good", "run and agree"), ("unsure", "do not build yet"), ("plain", "without a recorded result"))
    return html_pages.render(
        Path(__file__).parent,
        "corpus",
        rows=found,
        counts=[(state, name, counts[state]) for state, name in names],
        headline=f"{counts['good']} of {len(found)} packages run and agree with their references.",
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(report(), encoding="utf-8")
