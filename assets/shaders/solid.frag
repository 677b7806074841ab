uniform float outline, ghost;
in vec3 world; in vec3 world_normal; in vec4 tint; in float mark; in float share;
out vec4 shown;
const float BAYER[16] = float[](0., 8., 2., 10., 12., 4., 14., 6., 3., 11., 1., 9., 15., 7., 13., 5.);
vec3 glow_of(float m) { return m < 0.0 ? vec3(1.0, .12, .08) : m > 2.5 ? vec3(1.0, .62, .18) : vec3(1.0, .50, .12); }
void main() {
    bool asleep = mark > 0.25 && mark < 0.75; // not equal to 0.5: what lies between corners is rounded
    if (outline > 0.0 && (mark == 0.0 || asleep || share < 0.5)) discard;
    if (outline > 0.0) { shown = vec4(glow_of(mark), 1); return; }
    // transparency by a screen of dots: needs no sorting and works with every shape
    float see_through = max(ghost, 1.0 - tint.a);
    ivec2 dot_at = ivec2(gl_FragCoord.xy) & 3;
    if (see_through > 0.0 && (BAYER[dot_at.y * 4 + dot_at.x] + 0.5) / 16.0 < see_through) discard;
    vec3 n = normalize(world_normal);
    vec3 c = shade(tint.rgb, n, world, 0.35);
    if (asleep) c = mix(c, dot(c, vec3(.3, .6, .1)) * vec3(.45, .62, 1.3), 0.85 * share);
    else if (mark != 0.0) {
        float strength = (mark > 0.0 && mark < 1.5 ? 0.35 : 0.8) * smoothstep(0.1, 0.9, share);
        c += glow_of(mark) * strength * (0.08 + pow(1.0 - max(dot(n, normalize(eye - world)), 0.0), 1.6));
    }
    shown = vec4(in_fog(c, world), 1);
}
