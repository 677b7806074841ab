// Spheres, capsules, cylinders, boxes, meshes: one mesh a shape, one instance a primitive.
// local = shape.xyz * size.xyz + (0, 0, shape.w * size.w); for a capsule shape.w tells which end a vertex belongs to.
uniform mat4 to_clip;
uniform float outline;      // pixels by which the outline stands out; 0: the solid itself
uniform vec2 pixels;        // of the viewport
uniform float ghost;        // 0 opaque .. 1 invisible
in vec4 shape; in vec3 normal;
in vec3 at; in vec4 rotation; in vec4 size; in vec4 colour; in int body;
out vec3 world; out vec3 world_normal; out vec4 tint; out float mark; out float share;
void main() {
    vec4 place = position_of(body), spin = rotation_of(body);
    vec3 local = shape.xyz * size.xyz + vec3(0, 0, shape.w * size.w);
    world = turn(spin, turn(rotation, local) + at) + place.xyz;
    world_normal = turn(spin, turn(rotation, normalize(normal / max(size.xyz, vec3(1e-9)))));
    tint = colour; mark = place.w; share = 1.0;
    gl_Position = to_clip * vec4(world, 1);
    if (outline > 0.0) {
        vec4 ahead = to_clip * vec4(world + world_normal * 1e-3, 1);
        vec2 aside = ahead.xy / ahead.w - gl_Position.xy / gl_Position.w;
        aside *= pixels;
        if (dot(aside, aside) > 1e-12) gl_Position.xy += normalize(aside) * outline * 2.0 / pixels * gl_Position.w;
        if (mark == 0.0 || mark == 0.5) gl_Position = vec4(2, 2, 2, 1); // outside: only marked bodies have an outline
    }
}
