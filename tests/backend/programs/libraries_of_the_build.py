import json
import sys
from distutils.core import run_setup

distribution = run_setup("setup.py", stop_after="init")
command = distribution.get_command_obj("build_ext")
command.build_lib = sys.argv[1]
command.ensure_finalized()
command.remove_what_is_not_built()
print(json.dumps([extension.name.rpartition(".")[2] for extension in distribution.ext_modules]))
