"""Attributes that do not exist are refused on every object of the public face."""

import importlib

import numpy as np
import pytest

import physics
from physics.definitions.spellings import Sealed
from app.host.settings import Settings
from scenes import load
from scenes.loading.loader import read_scene

# the modules of what a World gives to its users; what is in them for the World itself is not reached from outside
GIVEN = ("world", "views", "body_views", "drive_views", "grabs", "measure", "touching")
INTERNAL = {"Holding"}
# a base class without instances, and errors, in which Python keeps notes
OPEN = {"Signal", "DefinitionError", "DefinitionWarning"}


def public_classes():
    modules = [importlib.import_module(f"physics.world.{name}") for name in GIVEN]
    given = [
        thing for module in modules for name, thing in vars(module).items()
        if isinstance(thing, type) and name[0] != "_" and thing.__module__ == module.__name__
    ]  # fmt: skip
    named = [thing for name in physics.__all__ if isinstance(thing := getattr(physics, name), type)]
    classes = {one.__name__: one for one in (*named, *given)}
    return [one for name, one in sorted(classes.items()) if name not in OPEN | INTERNAL]


def bare(cls):
    """An instance that nothing has filled: whether it takes an attribute does not depend on what is in it."""
    return cls(*range(len(cls._fields))) if hasattr(cls, "_fields") else cls.__new__(cls)


def test_the_list_holds_what_people_use():
    names = {one.__name__ for one in public_classes()}
    assert names >= {
        "World", "Named", "BodyView", "FixedView", "JointView", "MotorView", "FoldedView", "CouplingView",
        "ConditionView", "DriveView", "TargetSpringView", "MediumView", "Grab", "Energy", "Momentum", "Contact",
        "ContactSolution", "Scene", "Body", "Hinge", "Gear", "Sphere", "Drive", "Sinusoid", "Fluid", "Limits",
    }  # fmt: skip


@pytest.mark.parametrize("cls", public_classes(), ids=lambda cls: cls.__name__)
def test_an_attribute_that_does_not_exist_is_refused(cls):
    thing = bare(cls)
    with pytest.raises(AttributeError):
        thing.no_such_word = 5
    assert not hasattr(thing, "no_such_word")


def test_an_open_class_is_seen():
    """The check above would pass on objects that refuse everything."""

    class Open:
        pass

    class Shut(Sealed):
        word: float

    thing, shut = bare(Open), bare(Shut)
    thing.no_such_word = 5
    shut.word = 5.0
    assert (thing.no_such_word, shut.word) == (5, 5.0)


@pytest.mark.parametrize(
    ("word", "meant"),
    [("timestp", "timestep"), ("gravty", "gravity"), ("contact_metod", "contact_method"), ("drives_onn", "drives_on")],
)
def test_a_world_says_which_word_was_meant(word, meant):
    world = load("chain", links=2)
    before = getattr(world, meant)
    with pytest.raises(AttributeError, match=f"World has no attribute '{word}'; did you mean '{meant}'"):
        setattr(world, word, 5)
    assert np.array_equal(getattr(world, meant), before)


def test_a_loaded_scene_and_the_settings_of_the_window_refuse_too():
    scene = read_scene("chain")
    with pytest.raises(AttributeError, match="did you mean 'parameters'"):
        scene.paramters = {}
    with pytest.raises(AttributeError, match="font_siz"):
        Settings().font_siz = 12.0
