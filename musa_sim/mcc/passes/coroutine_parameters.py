"""The parameters of a coroutine that stand for what is the same for all threads of a block."""

from __future__ import annotations

from ..ir.parameters import Parameter, without_byval
from ..ir.text import split_list
from ..ir.thread_locals import replace_addresses
from .cut import Unfit


def with_shared_parameters(code: str) -> tuple[str, dict[str, str]]:
    """Make the addresses of __shared__ variables, which are the same for all threads, parameters.

    Return the code, and the variables by their parameters.
    """
    parameters: dict[str, str] = {}

    def parameter(variable: str) -> str:
        return parameters.setdefault(variable, f"%musa.shared.{len(parameters)}")

    code = replace_addresses(code, parameter)
    return code, {name: variable for variable, name in parameters.items()}


def by_address(parameters: str) -> str:
    """Make `byval` parameters plain pointers to the launch's arguments.

    Memory of a byval parameter ends with the call, and a coroutine outlives its first one. The argument itself lives as
    long as the launch, but all threads see it, so a kernel that writes to it does not fit.
    """
    for text in split_list(parameters):
        parameter = Parameter(text)
        if parameter.byval and not parameter.is_read_only:
            raise Unfit("it changes a parameter that was passed by value")
    return without_byval(parameters)
