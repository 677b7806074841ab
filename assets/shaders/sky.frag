uniform mat4 from_clip; uniform vec3 eye, horizon;
in vec2 at; out vec4 shown;
void main() {
    vec4 far = from_clip * vec4(at, 1, 1);
    float up = normalize(far.xyz / far.w - eye).z;
    vec3 high = horizon * vec3(.62, .72, .86);
    shown = vec4(mix(horizon, high, smoothstep(0.0, 0.7, up)), 1);
}
