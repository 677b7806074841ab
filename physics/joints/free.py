"""Free joint: a body that moves freely in the world (a root). No constraint; N is the body's whole velocity."""

ROWS = 0
AXES = 6
