"""Snapshots: the whole state of a world and its live settings as bytes."""

import hashlib
import json
import struct
from dataclasses import replace
from typing import Any

import numpy as np

from physics.build.relink import Pin
from physics.contacts.touch import warm_starts, with_warm_starts
from physics.data.contact_tables import TouchControl
from physics.data.model_tables import Bodies, Joints
from physics.data.state_tables import HardLimits, PoseColumn
from physics.data.step_tables import COLUMNS, Control, Number
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball, Weld
from physics.definitions.signals import KEY
from physics.solvers.modes import MODES
from physics.world.assembly import Moved
from physics.world.engine import Engine
from physics.world.measure import state_hash
from physics.world.settings import ContactSettings, Settings

SNAPSHOT_VERSION = 13


class Snapshots:
    """Snapshots of the state of an engine. `names` are those of its bodies, joints, couplings and drives."""

    def __init__(self, engine: Engine, settings: Settings, contacts: ContactSettings, names: list[list[str]]):
        """Make the snapshots of this engine."""
        self.engine, self.settings, self.contacts, self.names = engine, settings, contacts, names

    def figure(self) -> bytes:
        """Return a hash of the data of the figure that a snapshot does not contain: names, masses, geometry."""
        digest = hashlib.sha256(repr(self.names).encode())
        digest.update(self.engine.model.table.tobytes())
        live = [*range(Joints.STIFFNESS, Joints.DAMPING + 3), Joints.ADDRESS, Joints.ADDRESS + 1]
        live += [*range(Joints.REST_FRAME, Joints.REST_FRAME + 4), *range(Joints.REST, Joints.REST + 3)]
        live += [Joints.SOFT_CHILD, Joints.SOFT_PARENT]  # they know of the pins: what hangs on one turns less easily
        own = len(self.engine.model.joint) - len(self.engine.pins)
        body = self.engine.model.body
        if self.engine.state.pose.shape[1] > PoseColumn.SHAPE:
            # anchors and inertia follow the scales
            live += range(Joints.ANCHOR_CHILD, Joints.ANCHOR_PARENT + 3)
            body = np.delete(body, [*range(Bodies.INERTIA, Bodies.INVERSE_INERTIA + 3)], axis=1)
            digest.update(self.engine.model.material[:own].tobytes())
        digest.update(body.tobytes())
        digest.update(self.engine.model.form.tobytes())
        digest.update(self.engine.model.surface.tobytes())
        digest.update(np.delete(self.engine.model.joint[:own], live, axis=1).tobytes())
        if self.engine.built.touch:
            geometry = self.engine.built.touch.collision.geometry
            for array in (
                geometry.whole,
                geometry.real,
                geometry.vertex,
                self.engine.built.touch.collision.broad.never,
            ):
                digest.update(array.tobytes())
        return digest.digest()

    def write(self) -> bytes:
        """Return bytes that contain the whole state, every setting that can change, and a version number."""
        engine = self.engine
        engine.refresh()
        engine.work.control[Control.FACTOR_KEPT] = 0  # the factor itself is in no snapshot
        settings = {
            "solver": engine.mode.name,
            "stiffness_scale": engine.stiffness_scale,
            "springs": {k: [v.values["stiffness"], v.values["damping"], v.on] for k, v in engine.springs.items()},
            "signals": [engine.model.signals.table.tolist(), engine.model.signals.keys.tolist()],
            "grabs": len(engine.state.grab),
            "limits": len(engine.state.limit),
            "columns": engine.columns,
            "span": engine.span,
            "moved": engine.moved.written() if engine.moved else None,
            "pins": [[k, p.joint.b, p.joint.kind, p.joint.points[1], p.pose] for k, p in engine.pins.items()],
        }
        touch = engine.built.touch
        if touch:
            live = self.contacts
            settings["contacts"] = [live.contact_method, live.contact_tolerance, live.contact_law, live.sleeping]
        contacts = warm_starts(touch) if touch else b""
        parts = [
            self.figure(),
            json.dumps(settings).encode(),
            contacts,
            *(a.tobytes() for a in engine.built.live()),
        ]
        head = struct.pack("<4sII", b"MRNT", SNAPSHOT_VERSION, len(parts))
        return head + b"".join(struct.pack("<Q", len(p)) + p for p in parts)

    def restore(self, snapshot: bytes) -> None:
        """Restore a snapshot of this figure. Later steps then give the same bits as the steps after the snapshot was
        taken. A snapshot that is refused changes nothing."""
        engine = self.engine
        parts = _parts(snapshot)
        got = f"{len(snapshot)} bytes"
        if len(parts) < 3 or parts[0] != self.figure():
            raise DefinitionError("snapshot", got, "a snapshot of a world with the same figure")
        try:
            settings = json.loads(parts[1])
            scale = float(settings["stiffness_scale"])
            springs = {k: (tuple(a), tuple(b), bool(on)) for k, (a, b, on) in settings["springs"].items()}
            mode = MODES[settings["solver"]]
            pins = {k: _remade_pin(k, *more) for k, *more in settings["pins"]}
            table = np.array(settings["signals"][0], np.int64).reshape(engine.model.signals.table.shape)
            keys = np.array(settings["signals"][1], float).reshape(-1, KEY)
            contacts = settings["contacts"] if engine.built.touch else []
            columns = COLUMNS[COLUMNS.index(settings["columns"])]
            span = float(settings.get("span", engine.span))
            moved = Moved.read(settings["moved"], engine.state.pose.shape) if settings["moved"] else None
            if springs.keys() != {*(k for k in engine.springs if k not in engine.pins), *pins}:
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise DefinitionError("snapshot", got, "bytes that are whole") from None
        room = int(settings.get("grabs", 0))
        limits = np.zeros((int(settings["limits"]), HardLimits.WIDTH))
        same = pins == engine.pins and room == len(engine.state.grab) and limits.shape == engine.state.limit.shape
        built = engine.built if same else engine.relinked(pins, room, limits)
        sizes = [a.nbytes for a in built.live()]
        if [len(p) for p in parts[3:]] != sizes:
            raise DefinitionError("snapshot", got, "a snapshot of a world with the same figure")
        if not same:
            engine.relink(pins, room, limits)
        arrays = engine.built.live()
        if mode is not engine.mode:
            self.settings.use_solver(mode.name)
        engine.stiffness_scale, engine.span, engine.moved = scale, span, moved
        for name, (stiffness, damping, on) in springs.items():
            engine.springs[name].values = {"stiffness": stiffness, "damping": damping}
            engine.springs[name].on = on
        engine.columns = columns
        engine.set_columns()
        addresses = engine.model.joint[:, Joints.ADDRESS : Joints.ADDRESS + 2].copy()
        for part, array in zip(parts[3:], arrays, strict=True):
            array[...] = np.frombuffer(part, array.dtype).reshape(array.shape)
        # addresses of functions belong to this process
        engine.model.joint[:, Joints.ADDRESS : Joints.ADDRESS + 2] = addresses
        signals = engine.model.signals
        if not (np.array_equal(table, signals.table) and np.array_equal(keys, signals.keys)):
            # a new Model: the driver's tables must be made anew
            engine.use_signals(signals._replace(table=table, keys=keys))
        if engine.built.touch:
            live = self.contacts
            live.contact_method, live.contact_tolerance, live.contact_law = contacts[:3]
            engine.built.touch.control[TouchControl.SLEEPING] = int(contacts[3])
            engine.built = replace(engine.built, touch=with_warm_starts(engine.built.touch, parts[2]))
        engine.stale, engine.foreseen = True, None

    def state_hash(self) -> str:
        """Return the SHA-256 hash of all state that changes in motion, of the time, and of the numbers that the guard
        keeps. With equal settings, equal hashes mean equal steps from then on."""
        engine = self.engine
        contacts = warm_starts(engine.built.touch) if engine.built.touch else b""
        moved = repr(engine.moved.written()).encode() if engine.moved else b""
        return state_hash(
            engine.state,
            engine.work.number[[Number.TIME, Number.CREDIT, Number.LEASH]].tobytes(),
            contacts,
            moved,
        )


def _remade_pin(name: str, body: str, kind: str, at: Any, pose: Any) -> Pin:
    """Return a pin from the entries that a snapshot has for it."""
    joint = {Ball.kind: Ball, Weld.kind: Weld}[kind](name=name, a="world", b=body, at=tuple(at), auxiliary=True)
    return Pin(joint, tuple(pose))


def _parts(snapshot: bytes) -> list[bytes]:
    """Return the parts of a snapshot, or refuse bytes that are not a snapshot of this version."""
    allowed = f"bytes made by snapshot(), version {SNAPSHOT_VERSION}"
    if not isinstance(snapshot, bytes | bytearray):
        raise DefinitionError("snapshot", type(snapshot).__name__, allowed)
    bad = DefinitionError("snapshot", f"{len(snapshot)} bytes", allowed)
    if len(snapshot) < 12:
        raise bad
    mark, version, count = struct.unpack("<4sII", snapshot[:12])
    if mark != b"MRNT" or version != SNAPSHOT_VERSION:
        raise bad
    parts, at = [], 12
    for _ in range(count):
        if at + 8 > len(snapshot):
            raise bad
        (size,) = struct.unpack("<Q", snapshot[at : at + 8])
        parts.append(snapshot[at + 8 : at + 8 + size])
        at += 8 + size
    if at != len(snapshot):
        raise bad
    return parts
