import json
from distutils.core import run_setup  # setuptools has it

extensions = run_setup("setup.py", stop_after="init").ext_modules
print(json.dumps([[extension.extra_compile_args, extension.extra_link_args] for extension in extensions]))
