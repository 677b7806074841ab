"""Texts of scenes with every kind of body, joint, constraint, spring, drive and contact."""

BOX = "shape: {box: {size: [0.2, 0.1, 0.3], at: [0.3, 0.1, 0.2]}}"
SECOND = "shape: {box: {size: [0.1, 0.2, 0.2], at: [0.6, 0.2, -0.1]}}"
PUSH = "start: {velocities: {a: {linear: [0.3, -0.2, 0.1], angular: [0.5, 1, -0.7]}}}\n"
# joints between the world and a, a and b; {} where the bodies stand
JOINTS = {
    "ball": "at: [0.1, 0, 0.3], stiffness: [2, 1, 3], damping: 0.1, rest: {y: 20 deg}, twist_axis: [1, 2, 0], swing: 50 deg, twist: [-30 deg, 20 deg], soft: {stiffness: 9}, armature: 0.01",
    "hinge": "at: [0.1, 0, 0.3], axis: [1, 2, 3], stiffness: 2, damping: 0.1, rest: 20 deg, limits: [-10 deg, 400 deg], soft: {stiffness: 9, damping: 1}, armature: 0.02",
    "universal": "at: [0.1, 0, 0.3], axis: y, axis2: [1, 0, 1], stiffness: [2, 0], rest: [10 deg, 5 deg], limits: [[-20 deg, 30 deg], null], soft: {stiffness: 9}, armature: [0.01, 0.02]",
    "slider": "at: [0.1, 0, 0.3], axis: [0, 1, 1], stiffness: 30 N/m, rest: 5 cm, limits: [-1 m, 0.2 m], soft: {stiffness: 1000}, armature: 0.3",
    "cylindrical": "at: [0.1, 0, 0.3], axis: [0, 1, 1], stiffness: [30, 2], damping: [1, 0.1], rest: [5 cm, 10 deg], limits: [[-0.2, 0.3], [null, 3 rad]], soft: {stiffness: [900, 9]}, armature: [0.3, 0.01]",
    "planar": "at: [0.1, 0, 0.3], normal: [0, 1, 2], axis: x, stiffness: [30, 40, 2], damping: [1, 1, 0.1], rest: [2 cm, 0, 10 deg], armature: [0.3, 0.3, 0.01]",
    "screw": "at: [0.1, 0, 0.3], axis: [0, 1, 1], pitch: 5 cm, stiffness: 2, damping: 0.1, armature: 0.01",
    "compound": "at: [0.1, 0, 0.3], parts: [{turn: y, stiffness: 2, rest: 10 deg, limits: [-40 deg, 7 rad], soft: {stiffness: 8}}, {slide: [1, 0, 1], stiffness: 50, armature: 0.2}, {turn: [1, 2, 0], at: [0.1, 0.1, 0.3], damping: 0.1, pitch: 2 cm}]",
    "hinge_motor": "at: [0.1, 0, 0.3], axis: [1, 2, 3], position: {mean: 0, amplitude: 30 deg, frequency: 2 Hz}",
    "slider_motor": "at: [0.1, 0, 0.3], axis: [1, 2, 3], velocity: {times: [0, 0.05, 0.1], values: [0, 0.3, 0.1], ease: smooth}",
    "weld": "at: [0.1, 0, 0.3]",
}  # fmt: skip
# hard limits, two of which press from the start
LIMITED = {
    "hinge, hard": "{hinge: [world, a], at: [0.1, 0, 0.3], axis: [1, 2, 3], limits: [-1 deg, 400 deg]}",
    "ball, hard": "{ball: [world, a], at: [0.1, 0, 0.3], twist_axis: [1, 2, 0], swing: 5 deg, twist: [null, 2 deg]}",
    "cylindrical, hard": "{cylindrical: [world, a], at: [0.1, 0, 0.3], axis: [0, 1, 1], limits: [[-0.02, null], [-1 deg, 1 deg]]}",
    "compound, hard": "{compound: [world, a], at: [0.1, 0, 0.3], parts: [{turn: y, limits: [-1 deg, 1 deg]}, {slide: z, limits: [null, 5 cm]}]}",
}  # fmt: skip
CONSTRAINTS = {
    "rope": "{rope: [world, a], at: {world: [0, 0, 1], a: [0.3, 0.1, 0.3]}, longest: 0.8, shortest: 0.1}",
    "distance": "{distance: [world, a], at: {world: [0, 0, 1], a: [0.3, 0.1, 0.3]}}",
    "distance told": "{distance: [world, a], at: {world: [0, 0, 1], a: [0.3, 0.1, 0.3]}, length: {rate: 0.1 m/s, start: 0.7681145747868608}}",
    "point_on_plane": "{point_on_plane: [b, a], at: [0.3, 0.1, 0.3], normal: [1, 0, 2]}",
    "point_on_line": "{point_on_line: [b, a], at: [0.3, 0.1, 0.3], axis: [1, 0, 2]}",
    "point_on_curve": "{point_on_curve: [world, a], at: [0.3, 0.1, 0.3], circle: {center: [0.3, 0.1, 0.8], normal: y, radius: 0.5}}",
    "point on a spline": "{point_on_curve: [world, a], at: [0.3, 0.1, 0.3], spline: {points: [[0, 0.1, 0.5], [0.3, 0.1, 0.3], [0.6, 0.2, 0.6], [1, 0, 0]]}}",
    "parallel": "{parallel: [a, b], axis: [1, 2, 0]}",
    "perpendicular": "{perpendicular: [a, b], axis: [1, 2, 0], axis2: [-2, 1, 1]}",
    "gear": "{gear: [a, b], at: {a: [0.3, 0.1, 0.2], b: [0.6, 0.1, 0.2]}, axis: y, radii: [0.1, 0.2]}",
    "rack": "{rack: [a, b], at: {a: [0.3, 0.1, 0.2], b: [0.6, 0.1, 0.4]}, axis: y, direction: x, radius: 0.2}",
    "rolling_sphere": "{rolling_sphere: [world, a], at: [0, 0, 0.1], normal: z, radius: 0.1}",
    "rolling_disk": "{rolling_disk: [world, a], at: [0, 0, 0], normal: z, axis: y, radius: 0.2}",
    "rolling_in_trough": "{rolling_in_trough: [world, a], at: [0, 0.1, 1.2], axis: x, trough_radius: 1.2, radius: 0.2}",
    "function": "{function: [a, b], zero: [Xy*x - 2*Zy*z^2 - sin(Yx), Zx1^2 + Xy2], at: {b: [0.6, 0.1, 0.2]}}",
    "velocity_function": "{velocity_function: [world, a], zero: [vx2 - 0.3*wy2*Zz2, vz - 0.1*wx2 + wz*y2]}",
    "knife_edge": "{knife_edge: [world, a], at: [0.3, 0.1, 0.2], lateral: [1, 1, 0]}",
}  # fmt: skip
SPRINGS = {
    "between": "{between: [world, a], from: [0, 0, 1], to: [0.3, 0.1, 0.3], stiffness: 50, damping: 1, rest: 0.5, tension_only: true}",
    "torsion": "{torsion: [b, a], stiffness: [2, 3, 4], damping: 0.1, rest: {x: 10 deg}, swing_axis: x}",
}  # fmt: skip
BODIES = {
    "a planar body": "bodies: {a: {kind: planar, normal: y, angle: 30 deg, shape: {box: {size: [0.2, 0.1, 0.3], at: [0.3, 0.1, 0.2]}}}}\njoints: {j: {hinge: [world, a], at: [0, 0.1, 0], axis: y, stiffness: 2}}\n",
    "a planar body by numbers": "bodies: {a: {kind: planar, mass: 2, inertia: 0.1, at: [0, 0, 1]}}\n",
    "scaled": "bodies: {a: {kind: scaled, shape: {sphere: {at: [0, 0, 1], radius: 0.2}}, scale_stiffness: 500, scale_damping: 1, scale: 1.1, scale_velocity: 0.1}}\n",
    "scaled along axes": "bodies: {a: {kind: scaled, stretch: axes, shape: {box: {size: [0.2, 0.1, 0.3], at: [0.3, 0.1, 0.2]}}, scale_stiffness: [500, 600, 700], scale: [1.1, 1, 1]}}\njoints: {j: {ball: [world, a], at: [0.3, 0.1, 0.5]}}\n",
    "fixed": "bodies: {wall: {fixed: true, shape: {box: {size: [1, 1, 1], at: [0, 0, 2]}}}, a: {shape: {sphere: {at: [0, 0, 1], radius: 0.2}}}}\njoints: {j: {ball: [wall, a], at: [0, 0, 1.5], stiffness: 1}}\n",
    "massless": "bodies: {a: {kind: massless}, b: {shape: {sphere: {at: [0.5, 0, 0], radius: 0.2}}}}\njoints: {h: {hinge: [world, a], at: [0, 0, 0], axis: y, stiffness: 3}, i: {slider: [a, b], at: [0, 0, 0], axis: x, stiffness: 100}}\n",
    "moving": "bodies: {hand: {kind: moving, position: [{mean: 0, amplitude: 0.2, frequency: 1}, 0, {rate: 0.1 m/s, start: 1}], rotation: [0, {times: [0, 1], values: [0, 30 deg], ease: smooth}, 0], frame: {rotate: {x: 90 deg}}, shape: {box: {size: [0.1, 0.1, 0.1], at: [0, 0, 0]}}}, a: {shape: {sphere: {at: [0, 0, 0.5], radius: 0.1}}}}\njoints: {j: {ball: [hand, a], at: [0, 0, 1]}}\n",
    "condition": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}, c: {{kind: particle, mass: 0.5, at: [0.2, 0.7, 0.1]}}}}\nconstraints: {{k: {{condition: [c, a, b], zero: [x1 + 2*x2 - x3 + Yz2, \"sqrt((x1 - x2)^2 + (y1 - y2)^2 + (z1 - z2)^2) + z3\"], at: {{a: [0.3, 0.2, 0.4]}}, origin: [0.1, 0.2, 0], axes: [x, -z, y]}}}}\n",
    "condition with a force": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\nconstraints: {{k: {{condition: [a, b], zero: [z1 + z2, x1 - Zx2], force: [{{b: [0.3, 0, 1, 0, 0.1, 0.02]}}, {{a: [1, 0.2, 0], b: [-0.5, 0.1, 0.1]}}]}}}}\n",
    "condition with a force in bodies": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\nconstraints: {{k: {{condition: [a, b], zero: z1 + z2, force: {{b: [0.3, 0.2, 1], a: [0, 0, 1, 0.1, 0, 0.05]}}, force_in: body}}}}\n",
    "velocity condition": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}, c: {{kind: particle, mass: 0.5, at: [0.2, 0.7, 0.1]}}}}\nconstraints: {{k: {{velocity_condition: [c, a, b], zero: [vx1*x2 + 2*wz2 - vy3*Yz2, (vx1 - vx3)*Xx2 + wy3], at: {{a: [0.3, 0.2, 0.4]}}, origin: [0.1, 0.2, 0], axes: [x, -z, y]}}}}\n",
    "velocity condition with a force": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\nconstraints: {{k: {{velocity_condition: [a, b], zero: vz1 + vz2, force: {{b: [0.3, 0.2, 1], a: [0, 0, 1, 0.1, 0, 0.05]}}, force_in: body}}}}\n",
    "coupling": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\njoints: {{h: {{hinge: [world, a], at: [0, 0, 0], axis: y}}, u: {{universal: [a, b], at: [0.5, 0, 0], axis: y, axis2: z}}}}\nconstraints: {{t: {{coupling: {{h: 1, u.0: -2, u.1: 0.5}}, offset: 0}}}}\n",
}  # fmt: skip
DRIVES = {
    "drive to a position": "j: {hinge: [world, a], at: [0.1, 0, 0.3], axis: [1, 2, 3]}|m: {joint: j, position: {mean: 0, amplitude: 400 deg, frequency: 1 Hz}, stiffness: 20 N*m/rad, damping: 1, max: 3 N*m}",
    "drive of a velocity": "j: {slider: [world, a], at: [0.1, 0, 0.3], axis: [1, 2, 3]}|m: {joint: j, velocity: 60 cm/s, max: [0, 30 N]}",
    "drive by a torque": "j: {universal: [world, a], at: [0.1, 0, 0.3], axis: y, axis2: z}|m: {joint: j, axis: 1, torque: {rate: 1 N*m/s}, on: true}",
    "drive of a ball": "j: {ball: [world, a], at: [0.1, 0, 0.3]}|m: {joint: j, position: [0, 20 deg, 0], stiffness: 20, damping: 1, max: 5}",
    "target spring": "j: {free: [world, a]}|m: {body: a, at: [0.3, 0.1, 0.3], position: [0, 0, 1], rotation: {y: 30 deg}, stiffness: 50, damping: 2, turn_stiffness: 3, turn_damping: 0.1, max: 40 N}",
}  # fmt: skip
ROUGH = "materials: {rough: {friction: 1.5, restitution: 0.3}, ice: {friction: 0}}\n"
CONTACTS = {
    "on the ground": ROUGH + "ground: {height: -0.11, material: ice}\ncontacts: {never: [[legs, ground], [legs, legs]]}\nbodies: {a: {material: rough, shape: [{box: {size: [0.2, 0.1, 0.3], at: [0.3, 0.1, 0.041]}}, {sphere: {at: [0.3, 0.1, 0], radius: 0.2, collide: false}}]}, b: {collide: legs, shape: {capsule: {from: [0.35, 0.1, 0.3], to: [0.3, 0.4, 0.32], radius: 0.1, material: ice}}}}\njoints: {j: {ball: [a, b], at: [0.3, 0.1, 0.2], collide: true}}\nstart: {velocities: {a: {linear: [0.3, -0.2, 0], angular: [0, 0, 1]}}}\n",
    "on scenery": "contacts:\nbodies: {slope: {fixed: true, shape: [{plane: {at: [0, 0, 0], normal: [0.3, 0.1, 1]}}, {box: {size: [1, 0.1, 1], at: [0, 0.5, 0]}}]}, a: {frame: {at: [0, 0, 0.3], rotate: {x: 20 deg}}, shape: [{cylinder: {from: [0, 0, -0.1], to: [0, 0.02, 0.1], radius: 0.1}}, {hull: {points: [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]}}]}, p: {kind: particle, mass: 1, at: [1, 0, 0.1], shape: {sphere: {radius: 0.2}}}}\n",
    "on what moves": "contacts: {}\nbodies: {tray: {kind: moving, position: [{mean: 0, amplitude: 0.2, frequency: 1}, 0, 0], frame: {rotate: {x: 5 deg}}, shape: {box: {size: [1, 1, 0.1], at: [0, 0, 0]}}}, a: {shape: {capsule: {length: 0.2, at: [0, 0, 0.15], rotate: {x: 90 deg}, radius: 0.1}}}}\n",
    "in the wind": "medium: {density: 1.2, viscosity: 0.1, wind: [{mean: 3, amplitude: 1, frequency: 2}, 0, 1]}\nground: {}\n" + f"bodies: {{a: {{{BOX}, collide: false}}, b: {{{SECOND}}}}}\njoints: {{j: {{hinge: [world, a], at: [0, 0, 0.5], axis: y}}, k: {{ball: [a, b], at: [0.4, 0.1, 0]}}}}\n",
}  # fmt: skip
SCENES = {
    **CONTACTS,
    **{k: f"bodies: {{a: {{{BOX}}}}}\njoints: {{{v.split('|')[0]}}}\ndrives: {{{v.split('|')[1]}}}\n{PUSH}" for k, v in DRIVES.items()},
    **{k: f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\njoints: {{j: {{{k}: [world, a], {v}}}, k: {{{k}: [a, b], {v}}}}}\n{PUSH}" for k, v in JOINTS.items()},
    **{k: f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\nconstraints: {{c: {v}}}\n{PUSH}" for k, v in CONSTRAINTS.items()},
    **{k: f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\nsprings: {{c: {v}}}\n{PUSH}" for k, v in SPRINGS.items()},
    **{k: f"bodies: {{a: {{{BOX}}}}}\njoints: {{c: {v}}}\n{PUSH}" for k, v in LIMITED.items()},
    **BODIES,
}  # fmt: skip
HEAD = "marionette: 1\nsettings: {integrator: implicit}\n"
