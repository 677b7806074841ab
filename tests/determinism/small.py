"""Three small kernels for the tests of compilation."""

from physics.compiler.jit import entry


@entry
def first(x):
    return x + 1


@entry
def second(x):
    return 2 * x


@entry
def third(x):
    return x * x
