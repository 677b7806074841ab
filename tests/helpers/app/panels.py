"""What tests of the window ask a person at it to do."""

from app.ui import actions


def texts(person):
    return [m.text for m in person.session.messages]


def errors(person):
    return [m.text for m in person.session.messages if m.kind == "error"]


def open_panel(person, title):
    session = person.session
    if title not in session.in_front:
        actions.show(session, title)
    person.frames(4)
    assert title in session.in_front
