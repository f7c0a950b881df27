"""A matplotlib backend: what is shown goes to the host as files. Loaded by matplotlib alone."""

import sys
from weakref import WeakSet

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from . import _run
from ._media import write_figure

#: Shown without waiting, so that they are still open: each goes once, and once more when it is shown in the end.
_shown = WeakSet()


class FigureManager(FigureManagerBase):
    def show(self):
        _show(self)
        Gcf.destroy(self)


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager


def show(*args, block=None, **kwargs):
    """Send all open figures. They are closed then, as they are when a person has closed their windows."""
    if args:
        block = args[0]
    for manager in Gcf.get_all_fig_managers():
        if block is not False:
            manager.show()
        elif manager.canvas.figure not in _shown:
            _shown.add(manager.canvas.figure)
            _show(manager)


def _show(manager):
    if not _run.is_under_way():
        print("[figure] shown outside of a call, where nobody sees it", file=sys.stderr)
        return
    data, kind = write_figure(manager.canvas.figure)
    _run.attach_data(data, kind)
