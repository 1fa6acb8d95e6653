from pathlib import Path

from torch_musa.utils.simple_porting import SimplePorting

for cuda_dir_path, mapping_rule, drop_default_mapping, mapping_dir_path, wanted in (
    ("cuda", {"cuda": "musa"}, True, "mapping/", "release(musa);"),
    ("cuda/", {"cuda": "musa"}, False, None, "musaFree(musa);"),
    ("./cuda", None, False, None, "musaFree(cuda);"),
):
    SimplePorting(cuda_dir_path, mapping_rule, drop_default_mapping, mapping_dir_path).run()
    found = Path("cuda_musa/k.mu").read_text().strip()
    assert found == wanted, (found, wanted)
