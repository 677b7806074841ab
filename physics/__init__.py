"""The physics of articulated figures: definitions of bodies, joints and constraints, and the world in which they move.

    >>> from physics import Ball, Body, Scene, World

Every public name can be imported from here. Each module lists its public names in `__all__`, and `__init__.pyi` lists
those of all modules. `python -m tests.helpers.generated names` writes that file. A name is imported from its module
when it is first used, so that `import physics` itself takes only milliseconds."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
