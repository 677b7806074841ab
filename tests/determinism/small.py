"""Three small kernels for the tests of compilation."""

from physics.compiler.jit import entry


@entry("i", "i")
def first(x):
    return x + 1


@entry("i", "i")
def second(x):
    return 2 * x


@entry("i", "i")
def third(x):
    return x * x
