from musa_tools import statistic_fields
from musa_tools.statistic_fields import Scale, Statistic

statistic_fields.STATISTICS += (Statistic("spread", "Spread", lambda of: of.high - of.low, Scale.OWN),)
from musa_tools.compare_dumps.measure import measure  # noqa: E402  after the list has one more
from musa_tools.compare_dumps.records import Value  # noqa: E402

same = {"max": 1.0, "min": 0.0, "mean": 0.5, "norm": 1.0}
a, b = (
    Value("output", "0", "torch.Tensor", dtype="torch.float32", shape=(3,), statistics={**same, "spread": spread})
    for spread in (4.0, 3.0)
)
print(measure(a, b).distance, measure(a, b).differences["spread"])
