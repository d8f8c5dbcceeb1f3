"""What goes wrong, by the exit status of the program: 1, 2 or 3."""


class Error(Exception):
    """Something did not come out.

    status: the exit status that the program has for it, an int.
    words: the sentence, the same that the program prints.
    result: what there is of a result all the same, a `dmoc.Result`, or None.
    """

    status = 3

    def __init__(self, words, result=None):
        super().__init__(words)
        self.words = words
        self.result = result


class NotSolved(Error):
    """The numbers did not come out: not converged, infeasible, too coarse, gains that do not hold,
    a step that cannot be taken. `result` has what there is, with its own `status`."""

    status = 1


class BadInput(Error, ValueError):
    """A problem, an option or an argument is wrong, or a file cannot be read or written."""

    status = 2


class Fault(Error, RuntimeError):
    """A fault of dmoc, or no memory."""

    status = 3


BY_STATUS = {kind.status: kind for kind in (NotSolved, BadInput, Fault)}


def error_of(status, words, result=None):
    """Return the exception of an exit status."""
    return BY_STATUS.get(status, Fault)(words, result)
