"""Small safe arithmetic for numeric fields: `expression [unit]`, such as 1/240, 2*pi*radius, -20 deg, (a + b)/2 cm.

    sum     = term {("+" | "-") term}
    term    = sign {("*" | "/") sign}
    sign    = ("+" | "-") sign | power
    power   = atom [("^" | "**") sign]
    atom    = number | name | function "(" sum {"," sum} ")" | "(" sum ")"

A unit begins where a name follows a number, a name or a closing bracket without an operator; it takes the rest.
Nothing here is evaluated by Python.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from scenes.errors import did_you_mean
from scenes.units import UnitError, factor_to

# longer or deeper than any formula of a person; keeps the recursion of the parser shallow
LONGEST = 300
DEEPEST = 40
CONSTANTS = {"pi": math.pi, "inf": math.inf}
FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "sqrt": (math.sqrt, 1), "sin": (math.sin, 1), "cos": (math.cos, 1), "tan": (math.tan, 1), "asin": (math.asin, 1),
    "acos": (math.acos, 1), "atan": (math.atan, 1), "atan2": (math.atan2, 2), "exp": (math.exp, 1),
    "log": (math.log, 1), "abs": (abs, 1), "min": (min, 2), "max": (max, 2), "floor": (math.floor, 1),
    "ceil": (math.ceil, 1), "mod": (lambda x, y: x - y * math.floor(x / y), 2),
}  # fmt: skip
TOKEN = re.compile(
    r"\s*(?:([0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?)|([A-Za-z_]\w*)|(\*\*|.))", re.ASCII
)


class ExpressionError(ValueError):
    """What is wrong with an expression, as a sentence; `column` is where in its text."""

    def __init__(self, message: str, column: int = 0):
        super().__init__(message)
        self.column = column


def evaluate(text: str, names: Mapping[str, float], unit: str) -> tuple[float, bool]:
    """The value in the unit of the field, and whether a unit was written."""
    if len(text) > LONGEST:
        raise ExpressionError(f"an expression of {len(text)} characters, allowed: {LONGEST}")
    parser = _Parser(text, names)
    rest = ""
    try:
        value = parser.sum(0)
        rest = text[parser.rest() :].strip()
        factor = factor_to(rest, unit) if rest else 1.0
        value = float(value) * factor
    except UnitError as error:
        raise ExpressionError(str(error), len(text) - len(rest)) from None
    except ZeroDivisionError:
        raise ExpressionError("a division by zero") from None
    except (ValueError, OverflowError, TypeError) as error:
        if isinstance(error, ExpressionError):
            raise
        raise ExpressionError("a value that is not a finite real number") from None
    return value, bool(rest)


class _Parser:
    def __init__(self, text: str, names: Mapping[str, float]):
        self.text = text
        self.names = names
        self.tokens = [
            (m.lastindex, m.group(m.lastindex or 0), m.start(m.lastindex or 0)) for m in TOKEN.finditer(text)
        ]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self) -> tuple[int | None, str, int]:
        if self.at >= len(self.tokens):
            raise ExpressionError(f"{self.text!r} ends too early: a number or a name is missing", len(self.text))
        self.at += 1
        return self.tokens[self.at - 1]

    def rest(self) -> int:
        """Where the unit begins; anything else that is left over is refused."""
        if self.at >= len(self.tokens):
            return len(self.text)
        kind, text, column = self.tokens[self.at]
        if kind == 2 or text == "%":
            return column
        if kind == 1:
            raise ExpressionError(f"{text!r} after a value; an operator is missing", column)
        raise ExpressionError(f"{text!r} is not understood here", column)

    def sum(self, depth: int) -> float:
        if depth > DEEPEST:
            raise ExpressionError(f"brackets deeper than {DEEPEST} levels")
        value = self.term(depth)
        while self.peek() in ("+", "-"):
            plus = self.take()[1] == "+"
            other = self.term(depth)
            value = value + other if plus else value - other
        return value

    def term(self, depth: int) -> float:
        value = self.sign(depth)
        while self.peek() in ("*", "/"):
            times = self.take()[1] == "*"
            other = self.sign(depth)
            value = value * other if times else value / other
        return value

    def sign(self, depth: int) -> float:
        minus = False
        while self.peek() in ("+", "-"):
            minus ^= self.take()[1] == "-"
        value = self.power(depth)
        return -value if minus else value

    def power(self, depth: int) -> float:
        value = self.atom(depth)
        if self.peek() in ("^", "**"):
            self.take()
            if depth > DEEPEST:
                raise ExpressionError(f"powers deeper than {DEEPEST} levels")
            result = float(value) ** float(self.sign(depth + 1))
            if isinstance(result, complex):
                raise ExpressionError("a power that is not a real number")
            return result
        return value

    def atom(self, depth: int) -> float:
        kind, text, column = self.take()
        if kind == 1:
            return float(text)
        if kind == 2:
            if text in FUNCTIONS and self.peek() == "(":
                return self.call(text, depth)
            if text in self.names:
                return self.names[text]
            if text in CONSTANTS:
                return CONSTANTS[text]
            known = [*self.names, *CONSTANTS, *FUNCTIONS]
            hint = did_you_mean(text, known) or f"; parameters: {', '.join(list(self.names)[:10]) or 'none'}"
            raise ExpressionError(f"unknown name {text!r}{hint}", column)
        if text == "(":
            value = self.sum(depth + 1)
            self.close()
            return value
        raise ExpressionError(f"{text!r} is not understood here", column)

    def call(self, name: str, depth: int) -> float:
        function, count = FUNCTIONS[name]
        self.take()
        arguments = [self.sum(depth + 1)]
        while self.peek() == ",":
            self.take()
            arguments.append(self.sum(depth + 1))
        column = self.close()
        if len(arguments) != count:
            raise ExpressionError(f"{name} takes {count} values, got {len(arguments)}", column)
        return float(function(*arguments))

    def close(self) -> int:
        column = len(self.text) if self.at >= len(self.tokens) else self.tokens[self.at][2]
        if self.peek() != ")":
            raise ExpressionError("a closing bracket is missing", column)
        self.take()
        return column
