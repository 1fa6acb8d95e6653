"""Where `import torch_musa` goes."""

from __future__ import annotations

import pytest
from converting import converted, unchanged

from musa_tools.convert.files import convert_content
from musa_tools.convert.results import Options


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import torch\nx = 1\n", "import torch\nimport torch_musa\nx = 1\n"),
        ("import torch", "import torch\nimport torch_musa"),
        ("import torch; x = 1\n", "import torch; import torch_musa; x = 1\n"),
        ("import torch  # first\n\nx = 1\n", "import torch  # first\nimport torch_musa\n\nx = 1\n"),
        ("import torch.nn as nn\n", "import torch.nn as nn\nimport torch_musa\n"),
        ("from torch import (\n    nn,\n)\n", "from torch import (\n    nn,\n)\nimport torch_musa\n"),
        ("from torch \\\n  import nn\nf()\n", "from torch \\\n  import nn\nimport torch_musa\nf()\n"),
        (
            "try:\n    import torch\nexcept ImportError:\n    torch = None\nf()\n",
            "try:\n    import torch\nexcept ImportError:\n    torch = None\nimport torch_musa\nf()\n",
        ),
        ('"""Doc."""\nmain()\n', '"""Doc."""\nimport torch_musa\nmain()\n'),
        (
            '"""D"""\nfrom __future__ import annotations\nfrom __future__ import division\nmain()\n',
            '"""D"""\nfrom __future__ import annotations\nfrom __future__ import division\nimport torch_musa\nmain()\n',
        ),
        (
            "#!/usr/bin/env python\n# coding: utf-8\nmain()\n",
            "#!/usr/bin/env python\n# coding: utf-8\nimport torch_musa\nmain()\n",
        ),
        ("", "import torch_musa\n"),
        ("# only a comment", "# only a comment\nimport torch_musa"),
        ("def f():\n    import torch\n", "import torch_musa\ndef f():\n    import torch\n"),
        ("import torch\r\nx = 1\r\n", "import torch\r\nimport torch_musa\r\nx = 1\r\n"),
        ("from torch import cuda\n", "import torch_musa\nfrom torch import musa as cuda\n"),
    ],
)
def test_position_of_the_import(code: str, expected: str) -> None:
    assert converted(code, launch=True) == expected


def test_only_once() -> None:
    assert unchanged("import torch, torch_musa\n", all_scripts=True)
    assert converted("import torch_musa\nimport torch\n", launch=True) == "import torch_musa\nimport torch\n"
    code = "import torch\nfrom torch.cuda import amp\n"
    assert converted(code, launch=True) == "import torch\nimport torch_musa\nfrom torch_musa import amp\n"


def test_all_scripts() -> None:
    guard = "if __name__ == '__main__':\n    main()\n"
    assert "import torch_musa" in converted("import torch\n" + guard, all_scripts=True)
    assert unchanged(guard, all_scripts=True)
    assert unchanged("import torch\n", all_scripts=True)


def test_a_launch_script_that_is_excluded_gets_the_import_only() -> None:
    content = b"import torch\ntorch.cuda.synchronize()\n"
    found = convert_content("x.py", content, Options(), launch=True, rules=False)
    assert found.content == b"import torch\nimport torch_musa\ntorch.cuda.synchronize()\n"
