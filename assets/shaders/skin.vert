// A skin over bones: each vertex follows up to four of them (linear blend of their rigid motions since rest).
uniform mat4 to_clip;
in vec3 rest; in vec3 rest_normal; in vec3 colour; in ivec4 bones; in vec4 weights;
uniform sampler2D rests;    // poses of the bodies at which the skin was built, laid out as `poses`
uniform float outline;      // pixels, as in solid.vert
uniform vec2 pixels;
out vec3 world; out vec3 world_normal; out vec4 tint; out float mark; out float share;
void main() {
    world = vec3(0); world_normal = vec3(0);
    for (int i = 0; i < 4; i++) {
        ivec2 t = place_of(bones[i]);
        vec3 from = texelFetch(rests, t, 0).xyz;
        vec4 back = texelFetch(rests, t + ivec2(1, 0), 0) * vec4(-1, -1, -1, 1);
        vec4 spin = rotation_of(bones[i]);
        world += weights[i] * (turn(spin, turn(back, rest - from)) + position_of(bones[i]).xyz);
        world_normal += weights[i] * turn(spin, turn(back, rest_normal));
    }
    world_normal = normalize(world_normal);
    tint = vec4(colour, 1);
    mark = 0.0; share = 0.0; // how much of the vertex belongs to marked bones
    for (int i = 0; i < 4; i++) {
        float m = position_of(bones[i]).w;
        if (m != 0.0) { share += weights[i]; if (weights[i] > 0.2) mark = m; }
    }
    gl_Position = to_clip * vec4(world, 1);
    if (outline > 0.0) {
        vec4 ahead = to_clip * vec4(world + world_normal * 1e-3, 1);
        vec2 aside = (ahead.xy / ahead.w - gl_Position.xy / gl_Position.w) * pixels;
        if (dot(aside, aside) > 1e-12) gl_Position.xy += normalize(aside) * outline * 2.0 / pixels * gl_Position.w;
    }
}
