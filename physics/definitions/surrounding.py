"""What bodies move in; `physics.definitions.medium` has the kind."""

from collections.abc import Mapping
from typing import Any


class Medium:
    """What bodies move in; `physics.definitions.medium` has the kind."""

    def check(self, bodies: Mapping[str, Any]) -> None:
        """What can be checked only when the bodies are known"""
