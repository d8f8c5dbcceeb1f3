"""Arrays that come from outside: numbers, all of them there."""
import numpy as np

from .errors import BadInput

FLOAT, NUMBERS = np.dtype(np.float64), "fiub"


def refuse_masked(name, array):
    """Refuse an array with masked entries: there is no number behind a mask."""
    if np.ma.is_masked(array):
        raise BadInput(
            f"{name}: found {np.ma.count_masked(array)} masked entries of {np.size(array)}, expected "
            "a value for each; fill them (numpy.ma.filled), or leave a value of a problem open "
            "with dmoc.free"
        )


def real(name, array):
    """Return real numbers as an array of numpy."""
    refuse_masked(name, array)
    array = np.asarray(array)
    if array.dtype.kind not in NUMBERS:
        raise BadInput(f"{name}: found numbers of the type {array.dtype}, expected real ones")
    return array


def measured(name, array):
    """Return a log as doubles; every sample of it must be a finite number."""
    array = np.asarray(real(name, array), FLOAT)
    finite = np.isfinite(array)
    if not finite.all():
        at = ", ".join(map(str, np.argwhere(~finite)[0]))
        raise BadInput(f"{name}[{at}]: found {array[~finite][0]}, expected a finite number")
    return array
