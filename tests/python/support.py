"""What the tests of dmoc in Python share.

    TEST.py PROGRAM SOURCE BUILD SANITIZERS [WORDS]
"""
import os
import sys
import unittest

DEBIAN = "/usr/bin/python3"
PROGRAM, SOURCE, BUILD = (os.path.abspath(path) for path in sys.argv[1:4])
SANITIZERS = sys.argv[4]
PROBLEMS = os.path.join(SOURCE, "problems")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def prepare():
    """See to it that dmoc is imported from the sources, by a Python that has numpy."""
    if SANITIZERS != "none":
        skip("dmoc in Python (a sanitizer's library does not load into it)")
    if not os.path.exists(os.path.join(BUILD, "libdmoc.so.2")):
        skip("dmoc in Python (this build has no shared library)")
    try:
        import numpy  # noqa: F401
    except ImportError:
        if os.path.realpath(sys.executable) == os.path.realpath(DEBIAN) or not os.path.exists(
            DEBIAN
        ):
            skip("dmoc in Python (needs numpy)")
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(SOURCE, "python"))
    os.environ.update(
        DMOC=PROGRAM,
        DMOC_LIBRARY=os.path.join(BUILD, "libdmoc.so.2"),
        PYTHONPATH=os.path.join(SOURCE, "python"),
        PYTHONDONTWRITEBYTECODE="1",
    )


def main():
    """Run the test cases of the program that calls this: the first of $DMOC_SHARE, at night each."""
    class Share(unittest.TestLoader):
        def getTestCaseNames(self, case):
            return super().getTestCaseNames(case)[::int(os.environ.get("DMOC_SHARE", "1"))]

    unittest.main(module="__main__", argv=sys.argv[:1], verbosity=2, testLoader=Share())


def problem(*names):
    """Return the path of a worked problem."""
    return os.path.join(PROBLEMS, *names)


prepare()
