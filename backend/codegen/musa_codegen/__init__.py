"""Generate registrations, declarations and `at::musa::` functions from musa_functions.yaml.

    python -m musa_codegen torch_musa/csrc/aten/ops/musa_functions.yaml -o build/generated

The file's form is that of chapter 6 of torch_musa's manual. The generator uses the torchgen of the PyTorch that is
installed, and changes nothing in it.
"""
