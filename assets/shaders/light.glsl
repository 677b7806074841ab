// How every surface is lit: sun with a soft shadow, sky and ground light, a rim, tone mapping, fog.
uniform vec3 sun, eye, horizon;
uniform mat4 sun_view;
uniform sampler2DShadow shadow_map;
uniform int taps;          // of the shadow; 0: no shadow
uniform float ground;      // height of the floor
uniform float scale;       // size of the scene: fog, bias and darkening near the floor go with it
const vec2 DISK[8] = vec2[](vec2(.35, 0), vec2(-.33, .38), vec2(.06, -.7), vec2(.48, .64), vec2(-.86, -.15),
                            vec2(.8, -.47), vec2(-.29, .92), vec2(-.5, -.8));

float sunlight(vec3 p, vec3 n) {
    if (taps == 0) return 1.0;
    float texel = 1.0 / float(textureSize(shadow_map, 0).x);
    vec3 q = (sun_view * vec4(p + n * (0.010 * scale), 1)).xyz * 0.5 + 0.5;
    if (any(greaterThan(abs(q - 0.5), vec3(0.5)))) return 1.0;
    float a = fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(.0671, .00584)))) * 6.283; // interleaved gradient noise
    mat2 r = mat2(cos(a), sin(a), -sin(a), cos(a));
    float lit = 0.0;
    for (int i = 0; i < taps; i++) lit += texture(shadow_map, vec3(q.xy + r * DISK[i] * (2.6 * texel), q.z - 0.0008));
    return lit / float(taps);
}

vec3 shade(vec3 colour, vec3 n, vec3 p, float roughness) {
    vec3 v = normalize(eye - p), h = normalize(v + sun);
    float nl = max(dot(n, sun), 0.0), nh = max(dot(n, h), 0.0), nv = max(dot(n, v), 0.0);
    float lit = sunlight(p, n);
    float e = mix(90.0, 8.0, roughness);
    float shine = pow(nh, e) * (e + 8.0) / 25.0 * 0.06 * (1.0 - 0.6 * roughness);
    vec3 sky = vec3(.38, .46, .58), earth = vec3(.34, .31, .28);
    vec3 ambient = mix(earth, sky, 0.5 * n.z + 0.5);
    float near_floor = mix(1.0, 0.5 * smoothstep(-.05, .6, (p.z - ground) / scale) + 0.5, max(0.5 - 0.5 * n.z, 0.0));
    float rim = pow(1.0 - nv, 5.0);
    return colour * (ambient * near_floor * 0.9 + vec3(1.0, .95, .86) * 2.1 * nl * lit)
         + vec3(shine) * nl * lit * 3.0 + sky * rim * 0.22 * near_floor;
}

// The filmic curve fitted by K. Narkowicz to the ACES reference, then gamma.
vec3 displayed(vec3 c) {
    c *= 0.62;
    c = (c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14);
    return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2));
}

// Fog is mixed in display space, so that it meets the sky at the horizon.
vec3 in_fog(vec3 c, vec3 p) { return mix(displayed(c), horizon, smoothstep(7.0, 28.0, length(p.xy - eye.xy) / scale)); }
