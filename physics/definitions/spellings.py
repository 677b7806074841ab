"""Public words: classes that refuse unknown attributes, and second spellings of words. A second spelling is the old
name of a renamed word, or a synonym.

A class with the metaclass `Spelled` lists its second spellings. Its subclasses have them, too:

    class Drive(metaclass=Spelled):
        old_words = {"speed": "velocity"}  # accepted for one version, with a DeprecationWarning
        other_words = {"at": "position"}   # always accepted

Both kinds are accepted as keywords when an instance is made, and as attributes. Such an attribute can be set if the
word itself can be set. If the value changed together with the name, as from half a length to the length, the entry is a
`Scaled` word."""

import inspect
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple


class Sealed:
    """Base class of classes whose instances refuse public attributes that the class neither has nor annotates. Without
    this, a misspelt attribute would be stored, and have no effect."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, or refuse a public name that the class does not have."""
        if name[0] != "_" and name not in public_words(type(self)):
            known = sorted(public_words(type(self)))
            hint = did_you_mean(name, known) or f"; it has {', '.join(known)}"
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{hint}", name=name, obj=self)
        object.__setattr__(self, name, value)


@cache
def public_words(cls: type) -> frozenset[str]:
    """Return the public attributes of the instances of a class."""
    words = {*dir(cls), *(name for base in cls.__mro__ for name in inspect.get_annotations(base))}
    return frozenset(word for word in words if word[0] != "_")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of an error message. It suggests the known words that are most similar to a misspelt one. It is
    empty if none is similar."""
    close = get_close_matches(name, known, 3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


class Scaled(NamedTuple):
    """The new word for a quantity, and the factor between the values: new value = factor x old value."""

    word: str
    factor: float


def warn_old(what: str, old: str, new: str) -> None:
    """Warn that a word is old. The warning names the line that called the caller of this function."""
    message = f"{old!r} of {what} is now {new!r}; the old word is accepted in this version only"
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def scaled(value: Any, factor: float) -> Any:
    """Return a number, or each of several numbers, times a factor. Return anything else unchanged: the checks of the
    word will refuse it."""
    if factor == 1.0 or value is None or isinstance(value, str | bytes):
        return value
    try:
        return tuple(factor * x for x in value) if hasattr(value, "__iter__") else factor * value
    except TypeError:
        return value


class Spelled(type):
    """The metaclass of classes with second spellings."""

    spellings: dict[str, tuple[Scaled, bool]]  # of each second spelling the word, and whether it is an old one

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **more: Any):
        """Make the class, with an attribute for each second spelling."""
        super().__init__(name, bases, namespace, **more)
        inherited = (getattr(base, "spellings", {}) for base in reversed(bases))
        cls.spellings = {word: to for known in inherited for word, to in known.items()}
        for words, is_old in ((namespace.get("old_words", {}), True), (namespace.get("other_words", {}), False)):
            for word, to in words.items():
                to = to if isinstance(to, Scaled) else Scaled(to, 1.0)
                cls.spellings[word] = to, is_old
                setattr(cls, word, second_spelling(word, to, is_old))

    @property
    def __signature__(cls) -> inspect.Signature:
        """Signature of `__init__`, for `help` and editors."""
        whole = inspect.signature(cls.__init__)  # type: ignore[misc]
        return whole.replace(parameters=list(whole.parameters.values())[1:])

    if not TYPE_CHECKING:  # who checks types sees what `__init__` takes, the words themselves

        def __call__(cls, *args: Any, **given: Any) -> Any:
            """Make an instance. A keyword in a second spelling is first replaced by the word itself."""
            for word in cls.spellings.keys() & given.keys():
                (new, factor), is_old = cls.spellings[word]
                if new in given:
                    raise TypeError(f"{cls.__name__} got both {word!r} and {new!r}, which are one: keep {new!r}")
                if is_old:
                    warn_old(cls.__name__, word, new)
                given[new] = scaled(given.pop(word), factor)
            return super().__call__(*args, **given)


def second_spelling(word: str, to: Scaled, is_old: bool) -> property:
    """Return a property that reads and writes the attribute `to`, scaled by its factor. The property warns if the
    spelling is old."""
    new, factor = to

    def read(self: Any) -> Any:
        if is_old:
            warn_old(type(self).__name__, word, new)
        return scaled(getattr(self, new), 1.0 / factor)

    def write(self: Any, value: Any) -> None:
        if is_old:
            warn_old(type(self).__name__, word, new)
        setattr(self, new, scaled(value, factor))

    return property(read, write, doc=f"Another spelling of `{new}`")
