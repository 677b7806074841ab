"""Springs of joints as the user sets them."""

from typing import Any

from physics.definitions.joints import Joint


class Spring:
    """Stiffness and damping of one joint as the user set them. The model holds them scaled."""

    def __init__(self, definition: Joint):
        """Take stiffness and damping from the definition."""
        self.definition = definition
        self.values: dict[str, tuple[float, ...]] = {
            "stiffness": tuple(getattr(definition, "stiffness", ())),
            "damping": tuple(getattr(definition, "damping", ())),
        }
        self.on = True
        self.order: list[int] = []  # the column of each of its coordinates in Model.joint

    def public(self, key: str) -> Any:
        """Return stiffness or damping: one number where all axes have the same, else a tuple."""
        values = self.values[key]
        return values[0] if len(set(values)) == 1 else values
