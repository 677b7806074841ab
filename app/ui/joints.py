"""The joints of the open scene, and sets of joints to which one value can be given."""

from collections.abc import Mapping, Sequence

from physics.definitions.joints import Joint, SpringJoint


class SceneJoints:
    """The joints of a scene by name, and its groups of joints: group name -> names of joints."""

    def __init__(self, joints: Sequence[Joint] = (), groups: Mapping[str, Sequence[str]] | None = None):
        """Store joints and groups."""
        self.named = {joint.name: joint for joint in joints}
        self.groups = groups or {}

    def toward_root(self, body: str) -> Joint | None:
        """Return the joint with a spring that connects a body towards the root; None if no joint of the body has a
        spring."""
        mine = [j for j in self.named.values() if isinstance(j, SpringJoint) and body in (j.a, j.b)]
        return next((j for j in mine if j.b == body), mine[0] if mine else None)

    def scopes(self, joint: Joint) -> dict[str, list[str]]:
        """Return the sets of joints for which a stiffness can be set, by name: this joint, the limb beyond it, the
        scene's groups, all joints."""
        sprung = [name for name, j in self.named.items() if isinstance(j, SpringJoint)]
        found = {"this joint": [joint.name], "it and beyond": [n for n in self.beyond(joint) if n in sprung]}
        for name, members in self.groups.items():
            held = [member for member in members if member in sprung]
            if held:
                found[f"group {name}"] = held
        return {**found, "all joints": sprung}

    def beyond(self, joint: Joint) -> list[str]:
        """Return the names of the joint and of all joints beyond it, away from the root."""
        found, ahead = [joint.name], [joint.b]
        while ahead:
            body = ahead.pop()
            for other in self.named.values():
                if other.a == body and other.name not in found:
                    found.append(other.name)
                    ahead.append(other.b)
        return found
