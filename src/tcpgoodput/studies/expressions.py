"""Arithmetic expressions in the configuration: texts that begin with `=`; `eval` is not used."""

from __future__ import annotations

import ast
import math
import operator
import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

import simpleeval

from tcpgoodput.configuration.problems import alternatives

MAX_CHARACTERS = 300

_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_ALLOWED = (
    *(ast.Expr, ast.Name, ast.Load, ast.Constant, ast.UnaryOp, ast.BinOp, ast.Call),
    *(ast.operator, ast.unaryop),
)
"""Nodes of a syntax tree that an expression may have."""

FUNCTIONS = {
    "min": min,
    "max": max,
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "exp": math.exp,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": lambda value, digits=0: round(float(value), digits) if digits else round(value),
}
"""Functions that an expression may call, by name.

`round` takes a float if it is given digits, because it would compute huge powers of 10 for an int.
"""


class _Evaluator(threading.local):
    """Evaluator of the library simpleeval; one for each thread, because creating it is slow."""

    def __init__(self) -> None:
        self._evaluator = simpleeval.SimpleEval(_OPERATORS, FUNCTIONS)

    def value(self, text: str, names: Mapping[str, float]) -> Any:
        """Return the value of an expression, given the values of its names."""
        self._evaluator.names = dict(names)
        return self._evaluator.eval(text, _parsed(text))


@cache
def _parsed(text: str) -> ast.AST:
    """Return the syntax tree of an expression; raise ValueError if it has more than arithmetic."""
    # Text is refused, too, because a product with text may fill the memory.
    tree: ast.AST = simpleeval.SimpleEval.parse(text)
    for node in ast.walk(tree):
        is_number = not isinstance(node, ast.Constant) or type(node.value) in (int, float)
        if not isinstance(node, _ALLOWED) or not is_number:
            part = ast.get_source_segment(text, node) if isinstance(node, ast.expr) else None
            raise ValueError(f"{part or 'this'} is no arithmetic")
    return tree


_EVALUATOR = _Evaluator()


def is_expression(value: Any) -> bool:
    """Return whether a configured value is an expression, a text that begins with `=`."""
    return isinstance(value, str) and value.startswith("=")


def evaluate(expression: str, names: Mapping[str, float]) -> float:
    """Return the value of an expression such as `= 2 * x - min(x, 5)`.

    Args:
        expression: the expression, with or without `=` in front.
        names: values of the names that the expression may use, such as x.

    Raises:
        ValueError: the expression is not arithmetic, uses an unknown name, or has no finite value.

    """
    text = expression.removeprefix("=").strip()
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"an expression of more than {MAX_CHARACTERS} characters")
    try:
        value = _EVALUATOR.value(text, names)
    except simpleeval.NameNotDefined as error:
        hint = alternatives(error.name, [*names, *FUNCTIONS])
        raise ValueError(f"{expression!r} uses {error.name!r}{hint}") from None
    except simpleeval.FunctionNotDefined as error:
        hint = alternatives(error.func_name, list(FUNCTIONS))
        raise ValueError(f"{expression!r} calls {error.func_name!r}{hint}") from None
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{expression!r} cannot be evaluated: {reason}") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{expression!r} is no finite number")
    return value


def resolved(value: Any, names: Mapping[str, float]) -> Any:
    """Return data in which each expression is replaced by its value, also in lists and mappings."""
    if is_expression(value):
        return evaluate(value, names)
    if isinstance(value, Mapping):
        return {key: resolved(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [resolved(part, names) for part in value]
    return value
