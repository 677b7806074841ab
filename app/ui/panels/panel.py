"""The definition of a panel."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.ui.panels.widgets import Widgets
    from app.ui.session import Session


@dataclass(frozen=True)
class Panel:
    """A panel: its title, its first place, its description, and the function that draws it."""

    title: str
    place: str  # "upper" or "lower" half at the right, or "below" the scene
    about: str
    draw: "Callable[[Session, Widgets], None]"
