#!/bin/sh
# The tests of the build engine with other releases of setuptools, each in an environment of its own on top of the one
# that PYTHON stands for (which has torch and musa-build's requirements). By hand, for it takes minutes a release:
#
#     tests/build/matrix.sh                                   68.0.0, 80.9.0 and the newest
#     PYTHON=.venv/bin/python tests/build/matrix.sh 69.5.1
set -u
cd "$(dirname "$0")/../.." || exit 1
python=${PYTHON:-python3}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
[ $# -gt 0 ] || set -- ==68.0.0 ==80.9.0 ''
status=0
for version in "$@"; do
    case $version in [0-9]*) version="==$version" ;; esac
    rm -rf "$place/venv"
    "$python" -m venv "$place/venv" || exit 1
    below=$("$python" -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))')
    own=$("$place/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    echo "$below" > "$own/below.pth"
    "$place/venv/bin/python" -m pip install --quiet --upgrade "setuptools$version" wheel pytest || exit 1
    "$place/venv/bin/python" - <<'END'
import platform, setuptools, torch
print(f"== Python {platform.python_version()}, setuptools {setuptools.__version__}, torch {torch.__version__}", flush=True)
END
    PYTHONPATH=$PWD "$place/venv/bin/python" -m pytest -q -p no:cacheprovider \
        tests/build/test_build_extension.py tests/build/test_failures.py tests/build/test_jit.py || status=1
done
exit $status
