"""Checks of arrays from the user: real numbers without missing entries."""
import numpy as np

from .errors import BadInput

FLOAT, NUMBERS = np.dtype(np.float64), "fiub"


def refuse_masked(name, array):
    """Refuse an array with masked entries, which have no value."""
    if np.ma.is_masked(array):
        raise BadInput(
            f"{name}: found {np.ma.count_masked(array)} masked entries of {np.size(array)}, expected "
            "a value for each; fill them (numpy.ma.filled), or leave a value of a problem open "
            "with dmoc.free"
        )


def real(name, array):
    """Return real numbers as a numpy array."""
    refuse_masked(name, array)
    array = np.asarray(array)
    if array.dtype.kind not in NUMBERS:
        raise BadInput(f"{name}: found numbers of the type {array.dtype}, expected real ones")
    return array


def spread(name, array, shape):
    """Return real numbers of shape [..., n], from one number for all entries, or from [..., n] with
    fewer leading axes. A list of one number is not one number for all entries."""
    array = real(name, array)
    if array.ndim == 0 or array.shape[-1] == shape[-1]:
        try:
            return np.broadcast_to(array, shape)
        except ValueError:
            pass
    raise BadInput(f"{name}: found the shape {array.shape}, expected one number or {tuple(shape)}")


def measured(name, array):
    """Return a log as doubles; every sample must be a finite number."""
    array = np.asarray(real(name, array), FLOAT)
    finite = np.isfinite(array)
    if not finite.all():
        at = ", ".join(map(str, np.argwhere(~finite)[0]))
        raise BadInput(f"{name}[{at}]: found {array[~finite][0]}, expected a finite number")
    return array
