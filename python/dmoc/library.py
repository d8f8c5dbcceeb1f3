"""libdmoc.so.2 through ctypes, which releases the interpreter lock during calls."""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_void_p

from .errors import BY_STATUS, Fault
from .places import ADVICE, find_library

MESSAGE = 512  # bytes of a dm_message
# dm_status: errors of the caller and internal errors; all others are numerical outcomes
BAD_INPUT, NO_MEMORY, IO, UNAVAILABLE, FAULT = -1, -2, -6, -7, -8

# functions: return type and argument types (problems/map/map.h, solver.h, keys.h)
ARRAY = c_void_p
# pb_watch of problems/map/solver.h: a row of an iterate, returning 0 to stop
WATCH = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(c_double))
FUNCTIONS = {
    "pb_map_open": (
        c_int,
        [
            POINTER(c_void_p),
            c_char_p,
            c_char_p,
            POINTER(c_char_p),
            c_int,
            c_double,
            c_int,
            c_char_p,
        ],
    ),
    "pb_map_close": (None, [c_void_p]),
    "pb_map_count": (c_int, [c_void_p, c_char_p]),
    "pb_map_name": (c_char_p, [c_void_p, c_char_p, c_int]),
    "pb_map_unit": (c_char_p, [c_void_p, c_char_p, c_int]),
    "pb_map_limits": (c_int, [c_void_p, c_char_p, c_int, POINTER(c_double), POINTER(c_double)]),
    "pb_map_step_length": (c_double, [c_void_p]),
    "pb_map_explain": (None, [c_void_p, c_char_p]),
    "pb_map_state": (c_int, [c_void_p, c_int] + 4 * [ARRAY]),
    "pb_map_velocity": (c_int, [c_void_p, c_int] + 4 * [ARRAY]),
    "pb_map_energy": (c_int, [c_void_p, c_int] + 4 * [ARRAY]),
    "pb_map_step": (c_int, [c_void_p, c_int] + 5 * [ARRAY]),
    "pb_map_rollout": (c_int, [c_void_p, c_int, c_int] + 5 * [ARRAY]),
    "pb_map_linear": (c_int, [c_void_p, c_int] + 8 * [ARRAY]),
    "pb_map_hessian": (c_int, [c_void_p, c_int] + 7 * [ARRAY]),
    "pb_map_tensor": (c_int, [c_void_p, c_int] + 6 * [ARRAY]),
    "pb_solver_open": (
        c_int,
        [
            POINTER(c_void_p),
            c_char_p,
            c_char_p,
            POINTER(c_char_p),
            c_int,
            WATCH,
            c_void_p,
            c_char_p,
        ],
    ),
    "pb_solver_replace": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_char_p), c_int]),
    "pb_solver_close": (None, [c_void_p]),
    "pb_solver_count": (c_int, [c_void_p, c_char_p]),
    "pb_solver_name": (c_char_p, [c_void_p, c_char_p, c_int]),
    "pb_solver_ends": (None, [c_void_p] + 2 * [ARRAY]),
    "pb_solver_solve": (c_int, [c_void_p] + 4 * [ARRAY]),
    "pb_solver_differentiate": (c_int, [c_void_p, ARRAY]),
    "pb_solver_differentiate_by": (
        c_int,
        [c_void_p, c_char_p, c_char_p, POINTER(c_char_p), c_int, c_int, c_double, c_double, ARRAY],
    ),
    "pb_solver_explain": (None, [c_void_p, c_char_p]),
    "pb_keys_read": (c_int, [POINTER(c_void_p), c_char_p, c_char_p]),
    "pb_keys_free": (None, [c_void_p]),
}

loaded = None


def library():
    """Return the library, loaded once."""
    global loaded
    if loaded is None:
        path = find_library()
        try:
            found = ctypes.CDLL(path)
            for name, (result, arguments) in FUNCTIONS.items():
                function = getattr(found, name)
                function.restype, function.argtypes = result, arguments
        except (OSError, AttributeError) as why:
            raise Fault(f"the library {path} cannot be loaded ({why}): {ADVICE}") from None
        loaded = found
    return loaded


def exit_status(status):
    """Return the program's exit status for a dm_status that is not 0."""
    if status in (BAD_INPUT, IO, UNAVAILABLE):
        return 2
    return 3 if status in (NO_MEMORY, FAULT) else 1


def fail(status, words, result=None):
    """Raise the exception of a dm_status."""
    raise BY_STATUS[exit_status(status)](words, result)


def read_keys(path):
    """Return the keys of a YAML file as read by the library, as JSON."""
    text, message = c_void_p(), ctypes.create_string_buffer(MESSAGE)
    status = library().pb_keys_read(byref(text), str(path).encode(), message)
    if status:
        fail(status, message.value.decode(errors="replace"))
    try:
        return ctypes.cast(text, c_char_p).value.decode()
    finally:
        library().pb_keys_free(text)
