"""Exceptions for the exit statuses of the program: 1, 2 or 3."""


class Error(Exception):
    """A command or a call failed.

    status: the program's exit status for it, an int.
    words: the message, as printed by the program.
    result: the available result, a `dmoc.Result`, or None.
    """

    status = 3

    def __init__(self, words, result=None):
        super().__init__(words)
        self.words = words
        self.result = result


class NotSolved(Error):
    """The numerical outcome is negative: not converged, infeasible, too coarse, gains that fail, a
    step that cannot be taken. `result` has the available result, with its own `status`."""

    status = 1


class BadInput(Error, ValueError):
    """A problem, an option or an argument is invalid, or a file cannot be read or written."""

    status = 2


class Fault(Error, RuntimeError):
    """An internal error of dmoc, or out of memory."""

    status = 3


BY_STATUS = {kind.status: kind for kind in (NotSolved, BadInput, Fault)}


def error_of(status, words, result=None):
    """Return the exception for an exit status."""
    return BY_STATUS.get(status, Fault)(words, result)
