"""The base class of the medium in which bodies move; `physics.definitions.medium` has the kind."""

from collections.abc import Mapping
from typing import Any


class Medium:
    """Base class of the medium in which bodies move; `physics.definitions.medium` has the kind."""

    def check(self, bodies: Mapping[str, Any]) -> None:
        """Refuse fields that do not suit the bodies of the figure."""
