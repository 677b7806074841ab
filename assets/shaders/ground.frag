// A checker of `cell` metres with finer lines, antialiased by its own derivatives; x axis red, y axis green.
uniform float cell;
in vec3 world; out vec4 shown;
float lines(vec2 p, float width) {
    vec2 fw = fwidth(p), g = abs(fract(p - 0.5) - 0.5) / max(fw, 1e-5);
    vec2 l = (1.0 - clamp(g - width, 0.0, 1.0)) * clamp(0.8 - fw * 1.6, 0.0, 1.0);
    return max(l.x, l.y);
}
void main() {
    vec2 p = world.xy / cell;
    vec2 c = floor(p);
    float fw = max(fwidth(p.x), fwidth(p.y));
    vec3 a = mix(vec3(.215, .225, .24), vec3(.265, .275, .29), mix(mod(c.x + c.y, 2.0), 0.5, clamp(fw * 2.5, 0.0, 1.0)));
    a = mix(a, vec3(.10), lines(p * 4.0, 0.0) * 0.20);
    a = mix(a, vec3(.42, .45, .50), lines(p, 0.35) * 0.45);
    if (abs(p.y) < max(.012, fw)) a = mix(a, vec3(.70, .16, .13), 0.6);
    if (abs(p.x) < max(.012, fw)) a = mix(a, vec3(.17, .50, .18), 0.6);
    shown = vec4(in_fog(shade(a, vec3(0, 0, 1), world, 0.9), world), 1);
}
