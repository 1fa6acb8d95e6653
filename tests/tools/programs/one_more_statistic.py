"""Two dumps and their comparison, with a statistic that is added here."""

import sys
from pathlib import Path

from musa_tools import statistic_fields
from musa_tools.statistic_fields import Scale, Statistic

spread = Statistic("spread", "Spread", lambda of: of.high - of.low, Scale.OWN, of_bool=lambda v: v.any() ^ v.all())
statistic_fields.STATISTICS += (spread,)  # before other modules read the list

import torch  # noqa: E402
from dumped_runs import dump  # noqa: E402

from musa_tools.compare_dumps.parse import shown  # noqa: E402
from musa_tools.compare_dumps.read import read_dump  # noqa: E402
from musa_tools.compare_dumps.report.content import as_content  # noqa: E402
from musa_tools.compare_dumps.report.files import write_files  # noqa: E402
from musa_tools.compare_dumps.table import compare  # noqa: E402

root = Path(sys.argv[1])
for name, shift in (("a", 1.0), ("b", 0.0)):
    (root / name).mkdir()
    tensor = torch.tensor([-1.0, 2.0 + shift, 0.5])
    dump(root / name, lambda tensor=tensor: torch.relu(tensor))
a, b = (read_dump(root / name / "dump") for name in "ab")
comparison = compare(a, b)
content = as_content(comparison)
write_files(comparison, root / "out", ["csv", "json", "html"], content)
print(*shown(a.runs[0].calls[0]), sep="\n")
