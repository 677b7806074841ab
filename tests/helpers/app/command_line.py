"""The command line inside the process of the test."""

from app.cli import main


def run(capsys, *words):
    code = main.main(list(words))
    output = capsys.readouterr()
    return code, output.out, output.err
