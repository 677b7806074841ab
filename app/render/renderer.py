"""The renderer draws with OpenGL 3.3. It takes a look once, and a view for each frame. Each shape is one draw call,
however many bodies have it.

The data that do not change (shapes, sizes, colours, the body of each) are in instance buffers. A frame uploads the
poses of the bodies into a texture (32 bytes a body), and the lines. The passes are shadow map, shapes, ground, sky and
lines. They draw into a framebuffer of the renderer with several samples for each pixel, because pictures read back from
a window's own framebuffer would have no antialiasing. The picture is then resolved and copied into its place in the
window.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import moderngl
import numpy as np

from app.host.assets import asset
from app.render.camera import Camera
from app.render.look import Look
from app.render.primitives import Primitive
from app.render.skin import WornSkin
from app.render.units import UNITS
from app.render.view import LINE, View

BODIES_IN_A_ROW = 512  # as in common.glsl: a row of the pose texture is then 1024 texels, which every card has
HORIZON = (0.72, 0.765, 0.81)  # display colour of the fog and the lower sky
SUN = np.array([0.42, -0.36, 0.83]) / np.linalg.norm([0.42, -0.36, 0.83])
INSTANCE = "3f 4f 4f 4f 1i /i"
INSTANCE_NAMES = ("at", "rotation", "size", "colour", "body")
INSTANCE_TYPE = np.dtype([("numbers", "f4", 15), ("body", "i4")])
# files that shaders share, each with the functions of it: a shader that calls one of these gets the file
SHARED = {"common.glsl": ("position_of(",), "light.glsl": ("in_fog(",)}
SKIN_TYPE = np.dtype(
    [("rest", "f4", 3), ("normal", "f4", 3), ("colour", "f4", 3), ("bones", "i4", 4), ("weights", "f4", 4)]
)
SOFTWARE = ("llvmpipe", "softpipe", "swiftshader", "software")


@dataclass(frozen=True)
class Quality:
    """How finely the scene is drawn."""

    samples: int
    shadow: int  # texels across
    taps: int  # of the shadow's edge
    segments: int  # around a sphere


HIGH = Quality(samples=4, shadow=2048, taps=8, segments=32)
LOW = Quality(samples=1, shadow=1024, taps=4, segments=16)


def quality_for(context: moderngl.Context) -> Quality:
    """Return the quality for a context. It is low if the processor draws instead of a graphics card."""
    name = str(context.info["GL_RENDERER"]).lower()
    return LOW if any(word in name for word in SOFTWARE) else HIGH


def columns(matrix: np.ndarray) -> bytes:
    """Return the bytes of a matrix by columns, as GLSL stores it."""
    return np.ascontiguousarray(matrix.T, dtype="f4").tobytes()


def look_from(eye: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the matrix (4, 4) from the world to a camera at `eye` that looks at `at`."""
    forward = (at - eye) / np.linalg.norm(at - eye)
    side = np.cross(forward, (0.0, 0.0, 1.0))
    side /= np.linalg.norm(side)
    m = np.eye(4)
    m[:3, :3] = side, np.cross(side, forward), -forward
    m[:3, 3] = -m[:3, :3] @ eye
    return m


class LineBatch:
    """The lines of one frame, in a buffer that grows as necessary."""

    def __init__(self, context: moderngl.Context, program: Any, square: Any):
        """Make an empty batch. `square` is the buffer of the corners of one line."""
        self.context, self.program, self.square = context, program, square
        self._make(256)

    def _make(self, room: int) -> None:
        """Make the buffer and its vertex array, with room for so many lines."""
        self.buffer = self.context.buffer(reserve=4 * LINE * room, dynamic=True)
        parts = [(self.square, "2f", "corner"), (self.buffer, "3f 3f 2f 4f /i", "start", "end", "widths", "colour")]
        self.array = self.context.vertex_array(self.program, parts)

    def draw(self, rows: np.ndarray) -> int:
        """Draw lines, and return how many bytes were uploaded."""
        data = np.ascontiguousarray(rows, "f4").tobytes()
        if len(data) > self.buffer.size:
            self.release()
            self._make(2 * len(rows))
        self.buffer.orphan()
        self.buffer.write(data)
        self.array.render(moderngl.TRIANGLE_STRIP, instances=len(rows))
        return len(data)

    def release(self) -> None:
        """Free the buffer and its vertex array."""
        self.array.release()
        self.buffer.release()


class Renderer:
    """Draws one look. `release` frees everything."""

    def __init__(self, context: moderngl.Context, quality: Quality | None = None):
        """Compile the programs, and make the resources that all looks share."""
        self.context = context
        self.quality = quality or quality_for(context)
        self.size = (0, 0)
        self.draw_calls = 0  # of the last frame
        self.uploaded = 0  # bytes of the last frame
        self.wireframe = False
        self.shadows = True
        self.show_ground = True
        self.show_joints = True
        self.ghost = 0.0  # 0: solid, 1: invisible
        self.look: Look | None = None
        self._own: list[Any] = []  # belongs to the renderer
        self._of_look: list[Any] = []  # belongs to the look
        self._of_size: list[Any] = []  # belongs to the size of the viewport
        self._make_programs()
        self.show_skin = True
        self._make_meshes()
        self._make_shadow()
        self._lines, self._overlay = (self._keep(LineBatch(context, self.line, self._square)) for _ in range(2))

    # ------------------------------------------------------------ what is made once
    def _keep(self, thing: Any) -> Any:
        """Return a resource after noting that `release` frees it."""
        self._own.append(thing)
        return thing

    def _program(self, vertex: str, fragment: str = "") -> Any:
        """Return the program of `vertex`.vert and a .frag of the same name, or of the name `fragment`. The text of
        shared functions that a shader calls is put before its own text."""
        sources = {}
        for kind, file in (("vertex_shader", f"{vertex}.vert"), ("fragment_shader", f"{fragment or vertex}.frag")):
            own = (asset("shaders") / file).read_text()
            needed = [part for part, words in SHARED.items() if any(word in own for word in words)]
            shared = "".join((asset("shaders") / part).read_text() for part in needed)
            sources[kind] = "#version 330\n" + shared + own
        return self._keep(self.context.program(**sources))

    def _make_programs(self) -> None:
        """Compile the shader programs."""
        self.solid = self._program("solid")
        self.shadow = self._program("shadow")
        self.skin = self._program("skin", "solid")
        self.skin_shadow = self._program("skin", "shadow")
        self.ground = self._program("ground")
        self.sky = self._program("sky")
        self.line = self._program("line")
        self.final = self._program("final")

    def _make_meshes(self) -> None:
        """Upload the unit meshes, and make the arrays of the ground, the sky and the final picture."""
        around = self.quality.segments
        self._meshes = {name: self._keep(self.context.buffer(unit.mesh(around))) for name, unit in UNITS.items()}
        self._square = self._keep(self.context.buffer(np.array([-1, -1, 1, -1, -1, 1, 1, 1], "f4")))
        corners = [(self._square, "2f", "corner")]
        self._ground_array = self._keep(self.context.vertex_array(self.ground, corners))
        self._sky_array = self._keep(self.context.vertex_array(self.sky, corners))
        self._final_array = self._keep(self.context.vertex_array(self.final, corners))

    def _make_shadow(self) -> None:
        """Make the depth texture of the shadow."""
        n = self.quality.shadow
        self.shadow_map = self._keep(self.context.depth_texture((n, n)))
        self.shadow_map.compare_func = "<="
        self.shadow_map.filter = (moderngl.LINEAR, moderngl.LINEAR)
        self.shadow_map.repeat_x = self.shadow_map.repeat_y = False
        self.shadow_target = self._keep(self.context.framebuffer(depth_attachment=self.shadow_map))

    # ------------------------------------------------------------ a look
    def set_look(self, look: Look, names: list[str]) -> None:
        """Upload the data that do not change from frame to frame. `names` are the bodies in the order of the poses."""
        self._release(self._of_look)
        self.look = look
        number = {name: i for i, name in enumerate(names)}
        skinned = look.skinned()
        by_shape: dict[str, list[tuple[int, Primitive]]] = {}
        for name, primitives in look.bodies.items():
            for primitive in primitives:
                under = "/under" if name in skinned else ""
                layer = "/joint" + under.replace("under", "through") if primitive.joint else under
                key = primitive.shape + layer
                by_shape.setdefault(key, []).append((number.get(name, len(names)), primitive))
        self._shapes: dict[str, tuple[Any, Any, int]] = {}
        for key, items in sorted(by_shape.items()):
            self._shapes[key] = self._instances(key.split("/")[0], items)
        # one row more than bodies: scenery that does not move
        self._rows = (len(names) + 1 + BODIES_IN_A_ROW - 1) // BODIES_IN_A_ROW
        self.poses = self.context.texture((2 * BODIES_IN_A_ROW, self._rows), 4, dtype="f4")
        self.poses.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self._of_look.append(self.poses)
        self._skins = [self._worn(worn, number) for worn in look.skins]
        self._staging = np.zeros((self._rows * BODIES_IN_A_ROW, 8), "f4")
        self._staging[:, 7] = 1.0

    def _instances(self, shape: str, items: list[tuple[int, Primitive]]) -> tuple[Any, Any, int]:
        """Upload the primitives of one shape. Return the vertex arrays of solid and shadow, and how many there are."""
        table = np.zeros(len(items), INSTANCE_TYPE)
        for row, (body, p) in zip(table, items, strict=True):
            w, x, y, z = p.rotation
            row["numbers"] = (*p.at, x, y, z, w, *p.size, *p.colour)
            row["body"] = body
        buffer = self.context.buffer(table.tobytes())
        mesh = self._meshes.get(shape) or self._mesh_of_look(shape)
        solid = self.context.vertex_array(
            self.solid, [(mesh, "4f 3f", "shape", "normal"), (buffer, INSTANCE, *INSTANCE_NAMES)]
        )
        shadow = self.context.vertex_array(
            self.shadow, [(mesh, "4f 12x", "shape"), (buffer, "3f 4f 4f 16x 1i /i", "at", "rotation", "size", "body")]
        )
        self._of_look += [buffer, solid, shadow]
        return solid, shadow, len(items)

    def _worn(self, worn: WornSkin, number: dict[str, int]) -> tuple[Any, Any, Any]:
        """Upload a skin. Return its two vertex arrays, and the texture of the poses in which it was made."""
        skin, gl = worn.skin, self.context
        table = np.zeros(len(skin.vertices), SKIN_TYPE)
        table["rest"], table["normal"] = skin.vertices + worn.offset, skin.normals
        table["colour"] = skin.colours**2.2  # light adds up in linear colours
        table["bones"] = np.array([number[name] for name in worn.bodies])[skin.bones]
        table["weights"] = skin.weights
        rows = np.zeros((self._rows * BODIES_IN_A_ROW, 8), "f4")
        for name, rest in zip(worn.bodies, worn.rests, strict=True):
            rows[number[name]] = (*rest[:3], 0.0, *rest[4:7], rest[3])
        rests = gl.texture((2 * BODIES_IN_A_ROW, self._rows), 4, rows.tobytes(), dtype="f4")
        rests.filter = (moderngl.NEAREST, moderngl.NEAREST)
        buffer, index = gl.buffer(table.tobytes()), gl.buffer(skin.faces.astype("i4").tobytes())
        names = ("rest", "rest_normal", "colour", "bones", "weights")
        solid = gl.vertex_array(self.skin, [(buffer, "3f 3f 3f 4i 4f", *names)], index)
        parts = [(buffer, "3f 24x 4i 4f", "rest", "bones", "weights")]
        shadow = gl.vertex_array(self.skin_shadow, parts, index)
        self._of_look += [rests, buffer, index, solid, shadow]
        return solid, shadow, rests

    def _wears(self) -> bool:
        """Return whether a skin is drawn."""
        return self.show_skin and bool(self._skins)

    def _visible(self, key: str) -> bool:
        """Return whether a group of primitives is drawn. Joints can be left out. Bones under a skin are drawn only
        where the skin is transparent."""
        if key.endswith("/under"):
            return not self._wears() or self.ghost > 0.0
        return self.show_joints or "/joint" not in key

    def _mesh_of_look(self, name: str) -> Any:
        """Upload a mesh of the look and return its buffer."""
        if self.look is None or name not in self.look.meshes:
            raise ValueError(f"shape of a primitive: got {name!r}, allowed: {', '.join(UNITS)}, or a mesh of the look")
        mesh = self.look.meshes[name]
        rows = np.hstack([mesh.vertex, np.zeros((len(mesh.vertex), 1)), mesh.normal])
        buffer = self.context.buffer(np.ascontiguousarray(rows, "f4"))
        self._of_look.append(buffer)
        return buffer

    # ------------------------------------------------------------ a frame
    def draw(self, target: Any, viewport: tuple[int, int, int, int], view: View, camera: Camera) -> None:
        """Draw a frame into `viewport` (x, y from the lower left, width, height) of the framebuffer `target`."""
        if self.look is None:
            return
        self.draw_calls = self.uploaded = 0
        self._resize((max(viewport[2], 8), max(viewport[3], 8)))
        self._upload(view)
        gl = self.context
        gl.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)  # imgui and the window leave their own state behind
        gl.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        gl.wireframe = False
        self.poses.use(0)
        sun_view = self._draw_shadow(camera)
        (self._many or self._one).use()
        self._one.viewport = (0, 0, self.size[0], self.size[1])
        gl.clear(*HORIZON, 1.0, depth=1.0)
        to_clip = camera.projection() @ camera.view()
        self._light(to_clip, sun_view, camera)
        self._draw_shapes(to_clip)
        gl.enable_only(moderngl.DEPTH_TEST)
        self._draw_ground_and_sky(to_clip, camera.eye)
        self._draw_lines(view, to_clip)
        if self._many:
            gl.copy_framebuffer(self._one, self._many)
        self._present(target, viewport)

    def clear(self, target: Any, framebuffer: tuple[int, int]) -> None:
        """Fill the framebuffer with the colour of the horizon, for a frame without a look."""
        target.use()
        self.context.viewport = (0, 0, *framebuffer)
        self.context.clear(*HORIZON, 1.0)

    def _resize(self, size: tuple[int, int]) -> None:
        """Make the textures and framebuffers again if the size of the picture [pixels] has changed."""
        if size == self.size:
            return
        self._release(self._of_size)
        gl, self.size = self.context, size
        self._picture = gl.texture(size, 4)
        self._picture.repeat_x = self._picture.repeat_y = False
        depth = gl.depth_renderbuffer(size)
        self._one = gl.framebuffer(self._picture, depth)
        self._of_size += [self._picture, depth, self._one]
        self._many = None
        samples = min(self.quality.samples, gl.max_samples)
        if samples > 1:
            colours, depths = gl.renderbuffer(size, 4, samples=samples), gl.depth_renderbuffer(size, samples=samples)
            self._many = gl.framebuffer(colours, depths)
            self._of_size += [colours, depths, self._many]

    def _upload(self, view: View) -> None:
        """Upload the poses of the bodies."""
        self._staging[: len(view.poses)] = view.poses
        self.poses.write(self._staging)
        self.uploaded += self._staging.nbytes

    def _bounds(self, camera: Camera) -> tuple[np.ndarray, float]:
        """Return centre and radius of the ball that the shadow covers: it is around the target of the camera."""
        assert self.look is not None
        return camera.target, max(1.3 * self.look.radius, min(1.2 * camera.distance, 4.0 * self.look.radius))

    def _draw_shadow(self, camera: Camera) -> np.ndarray:
        """Draw the shadow map, if there are shadows. Return the matrix (4, 4) from the world to the sun."""
        centre, radius = self._bounds(camera)
        reach = 6.0 * radius
        ortho = np.diag([1.0 / radius, 1.0 / radius, -2.0 / (2.0 * reach), 1.0])
        ortho[2, 3] = -1.0  # depths from 0 to twice the reach, the centre halfway
        sun_view = ortho @ look_from(centre + reach * SUN, centre)
        if self.shadows and self.quality.taps:
            self.shadow_target.use()
            self.shadow_target.clear(depth=1.0)
            self.shadow["to_clip"].write(columns(sun_view))
            self.shadow["poses"] = 0
            self._draw_instances(
                (shadow, count) for key, (_, shadow, count) in self._shapes.items() if self._visible(key)
            )
            if self._wears():
                self.skin_shadow["to_clip"].write(columns(sun_view))
                self._draw_skins(self.skin_shadow, [(shadow, rests) for _, shadow, rests in self._skins])
        return sun_view

    def _light(self, to_clip: np.ndarray, sun_view: np.ndarray, camera: Camera) -> None:
        """Set the camera, the light and the transparency in the programs that draw surfaces."""
        assert self.look is not None
        self.shadow_map.use(1)
        for program in (self.solid, self.skin, self.ground):
            program["to_clip"].write(columns(to_clip))
            program["sun_view"].write(columns(sun_view))
            program["sun"] = tuple(SUN)
            program["eye"] = tuple(camera.eye)
            program["horizon"] = HORIZON
            program["shadow_map"] = 1
            program["taps"] = self.quality.taps if self.shadows else 0
            program["ground"] = self.look.ground if self.look.ground is not None else -1e9
            program["scale"] = max(self.look.radius, 0.25 * camera.distance)
        self.solid["poses"] = 0
        self.solid["pixels"] = self.size
        # bones are seen through a skin
        self.solid["ghost"] = 0.0 if self._wears() else self.ghost
        self.skin["ghost"] = self.ghost
        self.skin["outline"] = 0.0
        self.skin["pixels"] = self.size

    def _draw_shapes(self, to_clip: np.ndarray) -> None:
        """Draw the bodies and the skins, then the outlines of marked bodies."""
        gl = self.context
        gl.wireframe = self.wireframe
        self.solid["outline"] = 0.0
        skins = [(solid, rests) for solid, _, rests in self._skins]
        visible = {key: (solid, count) for key, (solid, _, count) in self._shapes.items() if self._visible(key)}
        self._draw_instances(visible.values())
        if self._wears():
            self.skin["to_clip"].write(columns(to_clip))
            self._draw_skins(self.skin, skins)
            self._draw_marks_through()
        gl.wireframe = False
        if np.any(self._staging[:, 3] != 0.0):
            self.solid["outline"] = 2.0
            gl.cull_face = "front"
            self._draw_instances(item for key, item in visible.items() if "/joint" not in key)
            if self._wears():
                self.skin["outline"] = 2.0
                self._draw_skins(self.skin, skins)
                self.skin["outline"] = 0.0
            gl.cull_face = "back"

    def _draw_marks_through(self) -> None:
        """Draw the joints under a skin so that they are seen through it."""
        gl = self.context
        gl.disable(moderngl.DEPTH_TEST)
        self.solid["ghost"] = 0.3
        self._draw_instances(
            (solid, count)
            for key, (solid, _, count) in self._shapes.items()
            if key.endswith("/through") and self._visible(key)
        )
        self.solid["ghost"] = 0.0
        gl.enable(moderngl.DEPTH_TEST)

    def _draw_instances(self, items: Iterable[tuple[Any, int]]) -> None:
        """Draw vertex arrays, each with its number of instances."""
        for array, count in items:
            array.render(instances=count)
            self.draw_calls += 1

    def _draw_skins(self, program: Any, skins: Iterable[tuple[Any, Any]]) -> None:
        """Draw skins: each has a vertex array, and the texture of the poses in which it was made."""
        for array, rests in skins:
            rests.use(2)
            program["poses"], program["rests"] = 0, 2
            array.render(moderngl.TRIANGLES)
            self.draw_calls += 1

    def _draw_ground_and_sky(self, to_clip: np.ndarray, eye: np.ndarray) -> None:
        """Draw the ground, unless the eye is below it, and the sky."""
        assert self.look is not None
        # from below, a floor would hide everything
        if self.look.ground is not None and self.show_ground and eye[2] > self.look.ground:
            self.ground["cell"] = 10.0 ** round(np.log10(max(self.look.radius, 1e-3)) - 0.35)
            self._ground_array.render(moderngl.TRIANGLE_STRIP)
            self.draw_calls += 1
        self.sky["from_clip"].write(columns(np.linalg.inv(to_clip)))
        self.sky["eye"] = self.solid["eye"].value
        self.sky["horizon"] = HORIZON
        self._sky_array.render(moderngl.TRIANGLE_STRIP)
        self.draw_calls += 1

    def _draw_lines(self, view: View, to_clip: np.ndarray) -> None:
        """Draw the lines that bodies can hide, then those over everything."""
        self.line["to_clip"].write(columns(to_clip))
        self.line["pixels"] = self.size
        for batch, rows, flags in (
            (self._lines, view.lines, moderngl.BLEND | moderngl.DEPTH_TEST),
            (self._overlay, view.overlay, moderngl.BLEND),
        ):
            if len(rows):
                self.context.enable_only(flags)
                self.uploaded += batch.draw(rows)
                self.draw_calls += 1

    def _present(self, target: Any, viewport: tuple[int, int, int, int]) -> None:
        """Copy the picture into a viewport of the framebuffer `target`."""
        gl = self.context
        gl.enable_only(moderngl.NOTHING)
        target.use()
        gl.viewport = viewport
        self._picture.use(0)
        self.final["picture"] = 0
        self._final_array.render(moderngl.TRIANGLE_STRIP)
        self.draw_calls += 1

    # ------------------------------------------------------------ the end
    @staticmethod
    def _release(things: list[Any]) -> None:
        """Free resources, the last one first, and empty the list."""
        for thing in reversed(things):
            thing.release()
        things.clear()

    def release(self) -> None:
        """Free everything on the graphics card."""
        for things in (self._of_look, self._of_size, self._own):
            self._release(things)
        self.look = None
        self.size = (0, 0)
