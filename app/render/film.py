"""Films: mp4 (H.264) and GIF from pictures, by PyAV, the extra `[video]`."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from app.host.troubles import NoWindowError, missing_package
from scenes.writing.outputs import written

SUFFIXES = (".mp4", ".gif")


def write_film(path: Path, pictures: Iterable[np.ndarray], rate: int = 30) -> int:
    """Write pictures (height, width, 3) of one size as a film, and return their number. Odd sizes lose a row or column,
    because H.264 needs even sizes. Raise an OSError if the file cannot be written; an older file is then unchanged."""
    try:
        import av
    except ModuleNotFoundError as error:
        raise NoWindowError(missing_package(error)) from error
    gif = path.suffix.lower() == ".gif"
    count = 0

    def check(finished: Path) -> None:
        """Read the film again, because the encoder's library does not report every write that failed."""
        with av.open(str(finished)) as film:
            found = sum(packet.size > 0 for packet in film.demux(video=0))
        if found != count:
            raise OSError(None, f"only {found} of {count} pictures could be written", str(path))

    with written(path, check) as file, av.open(file, "w", format="gif" if gif else "mp4") as container:
        stream: Any = None
        for picture in pictures:
            height, width = (n - n % 2 for n in picture.shape[:2])
            if stream is None:
                stream = _stream(container, gif, rate, width, height)
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture[:height, :width]), format="rgb24")
            frame.pts = count
            frame.time_base = Fraction(1, rate)
            if gif:
                frame = frame.reformat(format="rgb8")
            container.mux(stream.encode(frame))
            count += 1
        if stream is not None:
            container.mux(stream.encode())
    return count


def _stream(container: Any, gif: bool, rate: int, width: int, height: int) -> Any:
    """Add the video stream to the container and return it. `rate` is in frames per second, and the size is in
    pixels."""
    stream = container.add_stream("gif" if gif else "libx264", rate=rate)
    stream.width, stream.height = width, height
    stream.pix_fmt = "rgb8" if gif else "yuv420p"
    if not gif:
        # nearly lossless to the eye; small files of plain backgrounds
        stream.options = {"crf": "20", "preset": "veryfast"}
    return stream
