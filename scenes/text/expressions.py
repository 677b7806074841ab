"""Arithmetic for numeric fields: `expression [unit]`, such as 1/240, 2*pi*radius, -20 deg, (a + b)/2 cm.

    sum     = term {("+" | "-") term}
    term    = sign {("*" | "/") sign}
    sign    = ("+" | "-") sign | power
    power   = atom [("^" | "**") sign]
    atom    = number | name | function "(" sum {"," sum} ")" | "(" sum ")"

A unit begins where a name follows a number, a name or a closing bracket without an operator. It comes last and belongs
to the whole expression. Ambiguous text is refused: units inside an expression, a unit after a sum without brackets, and
a unit for a value that has one already. Python evaluates none of this text.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from physics.maths import strict
from scenes.text.errors import did_you_mean
from scenes.text.units import UNITS, UnitError, factor_to, parse_unit, unit_at

# longer or deeper than any formula of a person; keeps the recursion of the parser shallow
LONGEST = 300
DEEPEST = 40
MOST_SHOWN = 6  # values of names in a message
CONSTANTS = {"pi": math.pi, "inf": math.inf}


def real(function: Callable[[float], float]) -> Callable[[float], float]:
    """Return a version of a function of `physics.maths.strict` that raises an error where Python's own function does:
    for a value that is not a number, a pole, or a result that is too large."""

    def of(x: float) -> float:
        value = function(float(x))
        if (math.isnan(value) and not math.isnan(x)) or value == -math.inf:
            raise ValueError
        if math.isinf(value) and not math.isinf(x):
            raise OverflowError
        return value

    return of


FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "sqrt": (math.sqrt, 1), "sin": (real(strict.sine), 1), "cos": (real(strict.cosine), 1),
    "tan": (real(strict.tangent), 1), "asin": (real(strict.arcsine), 1), "acos": (real(strict.arccosine), 1),
    "atan": (lambda x: strict.arctangent(x, 1.0), 1), "atan2": (strict.arctangent, 2),
    "exp": (real(strict.exponential), 1), "log": (real(strict.logarithm), 1), "abs": (abs, 1), "min": (min, 2),
    "max": (max, 2), "floor": (math.floor, 1), "ceil": (math.ceil, 1),
    "mod": (lambda x, y: x - y * math.floor(x / y), 2),
}  # fmt: skip
TOKEN = re.compile(
    r"\s*(?:([0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?)|([A-Za-z_]\w*)|(\*\*|.))", re.ASCII
)


class ExpressionError(ValueError):
    """An error in an expression, as a sentence; `column` is its place in the text. With `enough`, the message needs no
    list of what is allowed."""

    def __init__(self, message: str, column: int = 0, enough: bool = False):
        """Store the message, the column, and whether the message is enough."""
        super().__init__(message)
        self.column = column
        self.enough = enough or column > 0


class Names(dict[str, float]):
    """The parameters read so far by name, and the lines (from 1) of the parameters defined later."""

    later: Mapping[str, int] = {}


class Measured(float):
    """The value of a parameter that was given with a unit, or computed from such a value. It must not be followed by
    another unit."""


@contextmanager
def arithmetic() -> Iterator[None]:
    """Raise an `ExpressionError` if the arithmetic inside the `with` block has no finite real value."""
    try:
        yield
    except ExpressionError:
        raise
    except ZeroDivisionError:
        raise ExpressionError("a division by zero") from None
    except (ValueError, OverflowError, TypeError):
        raise ExpressionError("a value that is not a finite real number") from None


def evaluate(text: str, names: Mapping[str, float], unit: str) -> tuple[float, bool]:
    """Return the value of an expression in the unit of the field (a `Measured` if it has a unit), and whether the text
    contains a unit."""
    if len(text) > LONGEST:
        raise ExpressionError(f"an expression of {len(text)} characters, allowed: {LONGEST}")
    parser = Parser(text, names)
    with arithmetic():
        value = parser.sum(0)
        begin = parser.rest()
        rest = text[begin:].strip()
        try:
            factor = factor_to(rest, unit) if rest else 1.0
            if rest:
                refuse_doubtful(parser, begin, factor)
            value = float(value) * factor
            if parser.measured or (rest and any(parse_unit(rest).powers)):
                value = Measured(value)
        except UnitError as error:
            raise ExpressionError(str(error), len(text) - len(rest)) from None
    return value, bool(rest)


def refuse_doubtful(parser: "Parser", begin: int, factor: float) -> None:
    """Refuse a unit at the end of an expression that a reader may misunderstand."""
    text, rest, own = parser.text[:begin].strip(), parser.text[begin:].strip(), parser.measured
    # a unit of SI changes nothing: it may say what index*gap/arc is
    twice = bool(own) and factor != 1.0
    if parser.summed:
        means = f"{parser.text.strip()!r} would mean ({text}) {rest}"
        advice = f"write {in_si(parser)}"
        if twice:
            raise ExpressionError(f"{means}, and {own!r} has its unit already; {advice}", begin)
        raise ExpressionError(f"{means}; put the sum in brackets if that is meant, else {advice}", begin)
    if twice:
        raise ExpressionError(f"{own!r} has its unit already; write {text}", begin)


def in_si(parser: "Parser") -> str:
    """Return the text with each unit replaced by a factor, as its writer probably meant it."""
    text, out, done = parser.text, "", 0
    for k, (kind, token, column) in enumerate(parser.tokens):
        previous = parser.tokens[k - 1][1] if k else ""
        unit = (kind == 2 or token == "%") and (previous == ")" or (k > 0 and parser.tokens[k - 1][0] in (1, 2)))
        if column < done or not unit or (end := unit_at(text, column)) == column:
            continue
        written = text[column:end].strip()
        so_far = out + text[done:column].rstrip()
        if parser.tokens[k - 1][0] == 1 and (k < 2 or parser.tokens[k - 2][1] not in ("/", "^", "**")):
            out = so_far[: len(so_far) - len(previous)] + _in_si(float(previous), written)
        elif isinstance(parser.names.get(previous), Measured):
            out = so_far
        else:
            factor = _in_si(1.0, written)
            out = so_far if factor == "1" else f"{so_far}*{factor}"
        done = column + len(text[column:end].rstrip())
    out = (out + text[done:]).strip()
    return re.sub(r"(?<!\w)\(\s*([0-9.e-]+|pi/[0-9]+|pi)\s*\)", r"\1", out)


def _in_si(number: float, unit: str) -> str:
    """Return a number with a unit in SI units: 90 deg is pi/2, 5 cm is 0.05."""
    if unit == "deg" and 0.0 < number <= 3600.0 and number == int(number):
        share = Fraction(int(number), 180)
        above = "pi" if share.numerator == 1 else f"{share.numerator}*pi"
        return above if share.denominator == 1 else f"{above}/{share.denominator}"
    return f"{number * parse_unit(unit).factor:.9g}"


class Parser:
    """A parser of expressions by recursive descent; one method for each rule of the grammar."""

    known_as = "parameters"

    def __init__(self, text: str, names: Mapping[str, float]):
        """Split the text into tokens: kind, text, column."""
        self.text = text
        self.names = names
        self.tokens = [
            (m.lastindex, m.group(m.lastindex or 0), m.start(m.lastindex or 0)) for m in TOKEN.finditer(text)
        ]
        self.at = 0
        self.summed = False  # whether the outermost operation is + or -
        self.measured = ""  # a parameter that has a unit of its own
        self.used: dict[str, float] = {}

    def peek(self) -> str:
        """Return the next token without taking it; an empty text at the end."""
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self) -> tuple[int | None, str, int]:
        """Take the next token and return its kind, text and column."""
        if self.at >= len(self.tokens):
            raise ExpressionError(f"{self.text!r} ends too early: a number or a name is missing", len(self.text))
        self.at += 1
        return self.tokens[self.at - 1]

    def rest(self) -> int:
        """Return the column at which the unit begins. Refuse any other text that is left over."""
        if self.at >= len(self.tokens):
            return len(self.text)
        kind, text, column = self.tokens[self.at]
        if kind == 2 or text == "%":
            self.refuse_unit_inside(column)
            return column
        if kind == 1:
            raise ExpressionError(f"{text!r} after a value; an operator is missing", column)
        raise ExpressionError(f"{text!r} is not understood here", column)

    def refuse_unit_inside(self, column: int) -> None:
        """Refuse a unit after which the expression continues."""
        end = unit_at(self.text, column)
        after = [(kind, token) for kind, token, place in self.tokens[self.at :] if place >= end]
        if end == column or not after:
            return
        kind, token = after[1] if len(after) > 1 else (None, "")
        value = kind == 1 or token == "(" or token in {**self.names, **CONSTANTS, **FUNCTIONS}
        if after[0][1] in ("+", "-", ")", ",") or (after[0][1] in ("*", "/", "^", "**") and value):
            raise ExpressionError(
                "a unit stands last, after the whole expression, not inside it or in brackets; "
                f"write {in_si(self)}", column,
            )  # fmt: skip

    def sum(self, depth: int) -> float:
        """Parse a sum of terms, and return its value."""
        if depth > DEEPEST:
            raise ExpressionError(f"brackets deeper than {DEEPEST} levels")
        value = self.term(depth)
        while self.peek() in ("+", "-"):
            plus = self.take()[1] == "+"
            self.summed |= depth == 0
            other = self.term(depth)
            value = value + other if plus else value - other
        return value

    def term(self, depth: int) -> float:
        """Parse a product or quotient, and return its value."""
        value = self.sign(depth)
        while self.peek() in ("*", "/"):
            times = self.take()[1] == "*"
            other = self.sign(depth)
            value = value * other if times else value / other
        return value

    def sign(self, depth: int) -> float:
        """Parse a power with signs before it, and return its value."""
        minus = False
        while self.peek() in ("+", "-"):
            minus ^= self.take()[1] == "-"
        value = self.power(depth)
        return -value if minus else value

    def power(self, depth: int) -> float:
        """Parse a power, and return its value."""
        value = self.atom(depth)
        if self.peek() in ("^", "**"):
            self.take()
            if depth > DEEPEST:
                raise ExpressionError(f"powers deeper than {DEEPEST} levels")
            return self.raised(value, self.sign(depth + 1))
        return value

    def raised(self, base: float, exponent: float) -> float:
        """Return base^exponent, or raise an error."""
        result = strict.power(float(base), float(exponent))
        if base == 0.0 and exponent < 0.0:
            raise ZeroDivisionError
        if math.isinf(result) and math.isfinite(base) and math.isfinite(exponent):
            raise OverflowError
        if math.isnan(result) and not math.isnan(base) and not math.isnan(exponent):
            message = f"{float(base):.6g} to the power of {float(exponent):.6g} is no real number"
            raise ExpressionError(message + self.with_values(), enough=True)
        return result

    def atom(self, depth: int) -> float:
        """Parse a number, a name, a call or an expression in brackets, and return its value."""
        kind, text, column = self.take()
        if kind == 1:
            return float(text)
        if kind == 2:
            if text in FUNCTIONS and self.peek() == "(":
                return self.call(text, depth)
            if text in self.names:
                value = self.names[text]
                self.used[text] = value
                if isinstance(value, Measured):
                    self.measured = self.measured or text
                return value
            if text in CONSTANTS:
                return CONSTANTS[text]
            if (line := getattr(self.names, "later", {}).get(text)) is not None:
                message = f"{text!r} is defined further down, in line {line}; a parameter uses those above it"
                raise ExpressionError(message, column, enough=True)
            known = [*self.names, *CONSTANTS, *FUNCTIONS]
            hint = did_you_mean(text, known) or f"; {self.known_as}: {', '.join(list(self.names)[:10]) or 'none'}"
            raise ExpressionError(f"unknown name {text!r}{hint}", column)
        if text == "(":
            value = self.sum(depth + 1)
            self.close()
            return value
        raise ExpressionError(f"{text!r} is not understood here", column)

    def call(self, name: str, depth: int) -> float:
        """Parse the arguments of a function in brackets, and return its value."""
        count = FUNCTIONS[name][1]
        self.take()
        arguments = [self.sum(depth + 1)]
        while self.peek() == ",":
            self.take()
            arguments.append(self.sum(depth + 1))
        column = self.close()
        if len(arguments) != count:
            raise ExpressionError(f"{name} takes {count} values, got {len(arguments)}", column)
        return self.called(name, arguments, column)

    def called(self, name: str, arguments: list[float], column: int) -> float:
        """Return the value of a function for these arguments, or raise an error."""
        try:
            return float(FUNCTIONS[name][0](*arguments))
        except ValueError:
            what = "the square root" if name == "sqrt" else f"the {name}"
            values = ", ".join(f"{x:.6g}" for x in arguments)
            message = f"{what} of {values} is no real number{self.with_values()}"
            raise ExpressionError(message, column, enough=True) from None

    def with_values(self) -> str:
        """Return a text with the values of the names that were used so far."""
        shown = [f"{name} = {value:.6g}" for name, value in self.used.items() if not math.isnan(value)]
        return f", with {', '.join(shown[:MOST_SHOWN])}" if shown else ""

    def close(self) -> int:
        """Take a closing bracket, and return its column."""
        column = len(self.text) if self.at >= len(self.tokens) else self.tokens[self.at][2]
        if self.peek() != ")":
            if self.peek() in UNITS:
                self.refuse_unit_inside(column)
            cut = column == len(self.text) and any(token in FUNCTIONS for _, token, _ in self.tokens)
            hint = '; a formula with a comma needs quotes here, as in "min(a, b)"' if cut else ""
            raise ExpressionError(f"a closing bracket is missing{hint}", column)
        self.take()
        return column
