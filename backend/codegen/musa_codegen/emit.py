"""Write C++: registrations, declarations and the functions of `at::musa`.

torchgen knows no structured kernels of PrivateUse1. It knows those of XPU, another device out of PyTorch's tree, and
what it writes for that one fits: the same guards, the same classes. So it generates code for XPU, and the names are
changed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from torchgen import dest
from torchgen.api import structured
from torchgen.api.types import kernel_signature
from torchgen.context import native_function_manager
from torchgen.gen import compute_meta_function_declaration
from torchgen.model import BackendIndex, BackendMetadata, DispatchKey, NativeFunction, NativeFunctionsGroup
from torchgen.selective_build.selector import SelectiveBuilder
from torchgen.utils import Target

from .entries import MAIN_KEY
from .plan import KernelClass, Registration

#: of ATen/native/Resize.h, which includes so much that a compiler needs 200 MB for it
_RESIZE_OUTPUT = """namespace at::native {
TORCH_API bool resize_output(const Tensor& output, IntArrayRef shape);
} // namespace at::native
"""
_HELPERS = """
C10_DIAGNOSTIC_PUSH_AND_IGNORED_IF_DEFINED("-Wunused-function")
Tensor create_out(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  return at::musa::new_output(sizes, strides, options);
}
std::optional<Tensor> maybe_create_proxy(
    const Tensor& out, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
  if (out.strides() != strides) {
    return at::musa::new_output(sizes, strides, options);
  }
  return std::nullopt;
}
"""


def _stand_in(key: str) -> DispatchKey:
    return DispatchKey[key.replace(MAIN_KEY, "XPU")]


def _index(registration: Registration) -> BackendIndex:
    metadata = BackendMetadata(
        registration.kernel, isinstance(registration.group, NativeFunctionsGroup), registration.namespace
    )
    group = registration.group
    functions = list(group.functions()) if isinstance(group, NativeFunctionsGroup) else [group]
    return BackendIndex(
        dispatch_key=_stand_in(registration.key),
        use_out_as_primary=True,
        external=False,
        device_guard=True,
        index={function.func.name: metadata for function in functions},
    )


def _written(registration: Registration, target: Target) -> str:
    """Return the text that torchgen writes for one of its targets."""
    writer = dest.RegisterDispatchKey(
        _index(registration),
        target,
        SelectiveBuilder.get_nop_selector(),
        rocm=False,
        symint=True,
        class_method_name=None,
        skip_dispatcher_op_registration=False,
    )
    text = "\n".join(writer(registration.group))
    return re.sub(r"\b(wrapper_\w*?)XPU", r"\1PrivateUse1", text)


def _meta_class(registration: Registration) -> str:
    assert isinstance(registration.group, NativeFunctionsGroup)
    return compute_meta_function_declaration(registration.group) or ""


def _impl_class(registration: Registration) -> str:
    """Return the class whose `impl` the library defines."""
    group = registration.group
    assert isinstance(group, NativeFunctionsGroup)
    name = group.functional.func.name.unambiguous_name()
    parent = "at::musa" if registration.kind is KernelClass.CUSTOMIZED else "at::meta"
    with native_function_manager(group.out):
        arguments = ", ".join(argument.decl() for argument in structured.impl_arguments(group))
    return (
        f"struct TORCH_API structured_{registration.kernel} : public {parent}::structured_{name} {{\n"
        f"  void impl({arguments});\n}};\n"
    )


def _function_declaration(registration: Registration) -> str:
    function = registration.group
    assert isinstance(function, NativeFunction)
    with native_function_manager(function):
        signature = kernel_signature(function, _index(registration))
        return f"TORCH_API {signature.decl(name=registration.kernel)};\n"


def _declarations(registration: Registration) -> list[str]:
    if not isinstance(registration.group, NativeFunctionsGroup):
        return [_function_declaration(registration)]
    meta = [_meta_class(registration)] if registration.kind is KernelClass.CUSTOMIZED else []
    return [*meta, _impl_class(registration)]


def native_header(root: str, registrations: Iterable[Registration]) -> str:
    """Return ATen/ops/ROOT_native.h: PyTorch's own header of this name, and what this library declares.

    Args:
        root: Name of the functions.
        registrations: Those of this name.
    """
    ours = [each for each in registrations if each.is_ours]
    bases = sorted({each.base_header for each in ours if each.base_header})
    metas = any(isinstance(each.group, NativeFunctionsGroup) for each in ours)
    lines = ["#pragma once", f"#include_next <ATen/ops/{root}_native.h>"]
    if metas:
        lines.append(f"#include <ATen/ops/{root}_meta.h>")
    lines += [f'#include "torch_musa/csrc/aten/ops/{base}"' for base in bases]
    declared = dict.fromkeys(text for each in ours for text in _declarations(each))
    return "\n".join([*lines, "", "namespace at::musa {", "", *declared, "} // namespace at::musa", ""])


def dispatch_header(root: str, registrations: Iterable[Registration]) -> str:
    """Return ATen/ops/ROOT_musa_dispatch.h: the functions `at::musa::ROOT`, which PyTorch's own kernels call.

    Args:
        root: Name of the functions.
        registrations: Those of this name and the main key.
    """
    texts = [_written(each, Target.NAMESPACED_DECLARATION) for each in registrations]
    head = ["#pragma once", "#include <ATen/core/Tensor.h>", f"#include <ATen/ops/{root}_ops.h>", ""]
    return "\n".join([*head, "namespace at::musa {", "", *texts, "} // namespace at::musa", ""])


def source(registrations: Iterable[Registration]) -> str:
    """Return a C++ file that registers functions.

    Args:
        registrations: Any.
    """
    chosen = list(registrations)
    roots = sorted({each.root for each in chosen})
    by_key: dict[str, list[Registration]] = defaultdict(list)
    for each in chosen:
        by_key[each.key].append(each)
    lines = [
        "// Generated from musa_functions.yaml.",
        "#include <ATen/DeviceGuard.h>",
        "#include <ATen/TensorIterator.h>",
        "#include <ATen/core/op_registration/adaption.h>",
        "#include <c10/core/DeviceGuard.h>",
        "#include <torch/library.h>",
        '#include "torch_musa/csrc/aten/device/TensorFactories.h"',
        *(f"#include <ATen/ops/{root}_native.h>" for root in roots),
        *(f"#include <ATen/ops/{root}_musa_dispatch.h>" for root in sorted({each.root for each in by_key[MAIN_KEY]})),
        "",
        _RESIZE_OUTPUT,
        "namespace at {",
        "",
        "namespace {",
        _HELPERS,
        *dest.register_dispatch_key.gen_resize_out_helper(_index(chosen[0])),
        *dest.register_dispatch_key.gen_check_inplace_helper(_index(chosen[0])),
        "C10_DIAGNOSTIC_POP()",
        "",
        *(_written(each, Target.ANONYMOUS_DEFINITION) for each in chosen),
        "} // namespace",
        "",
        "namespace musa {",
        *(_written(each, Target.NAMESPACED_DEFINITION) for each in by_key[MAIN_KEY]),
        "} // namespace musa",
        "",
    ]
    for key, members in by_key.items():
        if members:
            body = "".join(_written(each, Target.REGISTRATION) for each in members)
            lines += [f"TORCH_LIBRARY_IMPL(aten, {key}, m) {{", body + "}", ""]
    return "\n".join([*lines, "} // namespace at", ""])
