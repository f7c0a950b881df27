"""Values that are pictures: recognised by the names of their classes, so that nothing is imported for them."""

from .errors import Mismatch

_WRITERS = {
    ("PIL.Image", "Image"): "image",
    ("matplotlib.figure", "FigureBase"): "figure",
    ("matplotlib.figure", "Figure"): "figure",
    ("matplotlib.axes._base", "_AxesBase"): "figure",
}


class FileName(str):
    """Stands in a value for a file that goes with it."""

    __slots__ = ()


def media_form(kind):
    """What makes a file of a value of this kind; None for all that are no pictures."""
    for base in kind.__mro__:
        writer = _WRITERS.get((base.__module__, base.__name__))
        if writer is not None:
            return _image_form if writer == "image" else _figure_form
    return None


def bytes_form(data):
    """The name of the file that bytes become, where the host asks for that and they are a picture or a sound."""
    from .. import _run

    if not _run.media:
        return None
    from .._media import recognise

    found = recognise(data)
    return found and FileName(_run.noted_as(data) or _run.note_data(data, bytes(data), found))


def _image_form(image):
    from .. import _media, _run

    return FileName(_run.noted_as(image) or _run.note_data(image, *_media.write_image(image)))


def _figure_form(drawn):
    from .. import _media, _run

    figure = _media.figure_of(drawn)
    if figure is None:
        raise Mismatch("it is drawn in no figure any more; return the figure")
    return FileName(_run.noted_as(figure) or _run.note_data(figure, *_media.write_figure(figure)))
