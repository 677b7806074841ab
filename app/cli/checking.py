"""`marionette check`: the problems of a scene, what the scene holds, and which of its checks only a run can judge."""

from typing import TYPE_CHECKING

from app.cli.console import PROGRAM
from scenes.text.errors import Problem, SceneError, printable

if TYPE_CHECKING:
    from scenes.loading.scene import LoadedScene


def checked(name: str, settings: tuple[str, ...]) -> tuple[list[Problem], str, dict[str, float]]:
    """Return the problems of a scene file, a text about its size, and the duration [s] that each of its checks
    requires."""
    from scenes.loading.loader import read_scene

    try:
        scene = read_scene(name, settings)
        scene.make_world()  # the physics may refuse it, and joints that are drawn open may not close
        if scene.assembly():
            scene.problems.append(Problem("note", scene.assembly()))
        return scene.problems, "".join(f"{one}, " for one in counted(scene)), asked_of(scene)
    except SceneError as error:
        return error.problems, "", {}


def asked_of(scene: "LoadedScene") -> dict[str, float]:
    """Return the duration [s] for which each check of a scene must hold, by its key."""
    from scenes.kinds.sections import Checks

    return {key: one.duration for key in Checks.key_names() if (one := getattr(scene.checks, key)) is not None}


def who_judges(name: str, asked: dict[str, float]) -> str:
    """Return a sentence with the command that judges the checks, because `check` does not run the scene."""
    what = f"{len(asked)} check{'s' * (len(asked) > 1)} ({', '.join(asked)})"
    return f"{what}, to be judged by `{PROGRAM} simulate {printable(name)} --seconds {max(asked.values()):g}`"


def counted(scene: "LoadedScene") -> list[str]:
    """Return texts with the numbers of bodies, joints and other kinds of connections."""
    counts = {"bodies": len(scene.parts), "joints": 0, "constraints": len(scene.couplings), "springs": 0}
    for edge in scene.edges.values():
        counts[edge.section] += 1
    one = {"bodies": "body"} | {many: many[:-1] for many in ("joints", "constraints", "springs")}
    shown = {many: count for many, count in counts.items() if count or many in ("bodies", "joints")}
    return [f"{count} {one[many] if count == 1 else many}" for many, count in shown.items()]
