"""A small X client for what xdotool cannot do: ask a window to close, and drop a file on it.

Follows the inter-client conventions (WM_DELETE_WINDOW) and the XDND protocol, version 5, with pyglet's own bindings.
`python -m tests.helpers.app.xclient close WINDOW` and `... drop WINDOW FILE`.
"""

import sys
import time
from ctypes import byref, c_ubyte, c_ulong, cast, create_string_buffer, POINTER
from pathlib import Path

from pyglet.libs.x11 import xlib

XA_ATOM = 4
WAITS = 5.0  # s for each answer


class Client:
    def __init__(self):
        self.display = xlib.XOpenDisplay(None)
        assert self.display, "no display"
        self.root = xlib.XDefaultRootWindow(self.display)

    def atom(self, name):
        return xlib.XInternAtom(self.display, name.encode(), 0)

    def send(self, window, kind, *numbers):
        event = xlib.XEvent()
        event.xclient.type = xlib.ClientMessage
        event.xclient.message_type = self.atom(kind)
        event.xclient.window = window
        event.xclient.format = 32
        for i, number in enumerate(numbers):
            event.xclient.data.l[i] = number
        xlib.XSendEvent(self.display, window, 0, 0, byref(event))
        xlib.XFlush(self.display)

    def close(self, window):
        self.send(window, "WM_PROTOCOLS", self.atom("WM_DELETE_WINDOW"), xlib.CurrentTime)

    def drop(self, window, path, types=("text/uri-list",)):
        """Own the selection, announce, point at the middle, drop, hand the file over."""
        source = xlib.XCreateSimpleWindow(self.display, self.root, 0, 0, 1, 1, 0, 0, 0)
        xlib.XSetSelectionOwner(self.display, self.atom("XdndSelection"), source, xlib.CurrentTime)
        offered = [self.atom(name) for name in types]
        if len(offered) > 3:
            array = (c_ulong * len(offered))(*offered)
            xlib.XChangeProperty(
                self.display, source, self.atom("XdndTypeList"), XA_ATOM, 32, 0, cast(array, POINTER(c_ubyte)),
                len(offered),
            )  # fmt: skip
        first = [*offered[:3], 0, 0, 0][:3]
        self.send(window, "XdndEnter", source, (5 << 24) | int(len(offered) > 3), *first)
        self.send(window, "XdndPosition", source, 0, (300 << 16) | 300, xlib.CurrentTime, self.atom("XdndActionCopy"))
        self.wait(source, "XdndStatus")
        self.send(window, "XdndDrop", source, 0, xlib.CurrentTime)
        # pyglet sends its XdndFinished to the root window, so that it is not waited for
        self.serve(source, Path(path).resolve().as_uri() + "\r\n")

    def events(self):
        end = time.monotonic() + WAITS
        event = xlib.XEvent()
        while time.monotonic() < end:
            if xlib.XPending(self.display):
                xlib.XNextEvent(self.display, byref(event))
                yield event
            else:
                time.sleep(0.01)

    def wait(self, source, kind):
        for event in self.events():
            if event.type == xlib.ClientMessage and event.xclient.message_type == self.atom(kind):
                return
        raise SystemExit(f"no {kind} came")

    def serve(self, source, text):
        """Answer the one request for the selection."""
        for event in self.events():
            if event.type != xlib.SelectionRequest:
                continue
            request = event.xselectionrequest
            data = create_string_buffer(text.encode())
            xlib.XChangeProperty(
                self.display, request.requestor, request.property, request.target, 8, 0, cast(data, POINTER(c_ubyte)),
                len(text),
            )  # fmt: skip
            answer = xlib.XEvent()
            answer.xselection.type = xlib.SelectionNotify
            answer.xselection.requestor = request.requestor
            answer.xselection.selection = request.selection
            answer.xselection.target = request.target
            answer.xselection.property = request.property
            answer.xselection.time = request.time
            xlib.XSendEvent(self.display, request.requestor, 0, 0, byref(answer))
            xlib.XFlush(self.display)
            return
        raise SystemExit("nobody asked for the file")


def main(verb, window, *rest):
    client = Client()
    if verb == "close":
        client.close(int(window))
    else:
        client.drop(int(window), rest[0], rest[1:] or ("text/uri-list",))
    xlib.XCloseDisplay(client.display)


if __name__ == "__main__":
    main(*sys.argv[1:])
