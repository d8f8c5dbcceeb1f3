"""dmoc in Python: the types of what `import dmoc` has. Arrays are of doubles unless said otherwise;
n coordinates, nu inputs, nc rows of constraints."""
import os
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Literal,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
    overload,
)

import numpy as np
from dmoc import formula as formula
from numpy.typing import ArrayLike, NDArray

__version__: str
__all__: List[str]

Floats = NDArray[np.float64]
Path = Union[str, "os.PathLike[str]"]
Keys = Dict[str, Any]
Anything = Union["Problem", Path, Keys]
Shown = Union["Result", "Sweep", "Tuned", "Table", "File", Path]
Progress = Union[None, bool, Callable[[str], object]]

class Error(Exception):
    status: int
    words: str
    result: Optional["Result"]
    def __init__(self, words: str, result: Optional["Result"] = ...) -> None: ...

class NotSolved(Error): ...
class BadInput(Error, ValueError): ...
class Fault(Error, RuntimeError): ...

free: str

class Problem:
    file: Optional[str]
    @property
    def keys(self) -> Keys: ...
    def __init__(self, file: Optional[Path] = ..., /, **keys: Any) -> None: ...
    def replaced(self, values: Optional[Mapping[str, Any]] = ..., /, **keys: Any) -> "Problem": ...
    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    def write(self, path: Path) -> Path: ...
    def evaluate(
        self,
        formula: Any,
        q: ArrayLike,
        v: Optional[ArrayLike] = ...,
        u: Optional[ArrayLike] = ...,
        hessian: bool = ...,
    ) -> Dict[str, Any]: ...
    def compare(self, formula: Any, function: Callable[..., float], q: Sequence[float]) -> Dict[str, float]: ...

class File:
    path: str
    record: Dict[str, Any]
    warnings: List[str]
    def __init__(self, path: str, record: Dict[str, Any], keep: object = ...) -> None: ...
    @property
    def page(self) -> str: ...
    def __fspath__(self) -> str: ...
    def _repr_mimebundle_(self, include: object = ..., exclude: object = ...) -> Dict[str, str]: ...

class Table:
    path: str
    names: Tuple[str, ...]
    units: Tuple[str, ...]
    values: Floats
    def to_pandas(self) -> Any: ...
    def __array__(self, dtype: Any = ..., copy: Optional[bool] = ...) -> NDArray[Any]: ...
    def row(self, i: int) -> Dict[str, Union[float, str]]: ...
    def unit(self, name: str) -> str: ...
    def list_columns(self, name: str) -> str: ...
    def group(self, name: str) -> Tuple[str, ...]: ...
    def __getitem__(self, name: str) -> NDArray[Any]: ...
    def __getattr__(self, name: str) -> NDArray[Any]: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

class _Folder:
    folder: str
    record: Dict[str, Any]
    warnings: List[str]
    @property
    def files(self) -> Dict[str, str]: ...
    @property
    def page(self) -> str: ...
    def table(self, name: str) -> Table: ...
    def __getattr__(self, name: str) -> Table: ...
    def _repr_html_(self) -> str: ...

class _Figure:
    path: str
    value: Any
    unit: str
    label: str
    meaning: str

class _ContactForces:
    state: Any
    gap: Floats
    normal: Floats
    friction: Floats

class Result(_Folder):
    def __init__(
        self, folder: Path, keep: object = ..., warnings: Sequence[str] = ..., below: bool = ...
    ) -> None: ...
    def figure(self, path: str) -> _Figure: ...
    @property
    def status(self) -> str: ...
    @property
    def objective(self) -> Optional[float]: ...
    @property
    def units(self) -> Dict[str, Dict[str, str]]: ...
    @property
    def phases(self) -> Dict[str, "Result"]: ...
    @property
    def inputs(self) -> Tuple[str, ...]: ...
    @property
    def contact_forces(self) -> Dict[str, _ContactForces]: ...
    @property
    def K(self) -> Floats: ...
    @property
    def x(self) -> Floats: ...
    @property
    def u(self) -> Floats: ...
    @property
    def h(self) -> float: ...
    def map(self, threads: int = ..., **options: Any) -> "Map": ...

class Sweep(_Folder):
    def __init__(
        self,
        folder: Path,
        keep: object = ...,
        warnings: Sequence[str] = ...,
        record: Optional[Dict[str, Any]] = ...,
    ) -> None: ...
    @property
    def cases(self) -> Table: ...
    @property
    def keys(self) -> Tuple[str, ...]: ...
    @property
    def solved(self) -> int: ...
    @property
    def statuses(self) -> Tuple[str, ...]: ...
    @property
    def best(self) -> Optional[Dict[str, Union[float, str]]]: ...
    def result(self, case: int) -> Result: ...
    @property
    def results(self) -> Dict[int, Result]: ...
    def __len__(self) -> int: ...

class Tuned:
    score: float
    before: float
    gain: float
    gain_error: float
    kept: bool
    values: Dict[str, float]
    problem: Problem
    tries: Table
    file: str
    record: Dict[str, Any]
    warnings: List[str]
    def __init__(
        self, problem: Problem, file: Path, answer: Dict[str, Any], keep: object = ...
    ) -> None: ...
    @property
    def page(self) -> str: ...
    def _repr_html_(self) -> str: ...

class Iterate(NamedTuple):
    iteration: int
    objective: float
    violation: float
    dual: float
    mu: float
    step: float
    regularization: float

class Slopes(NamedTuple):
    q: Floats
    u: Floats
    h: Union[Floats, float]
    objective: Union[Floats, float]

class Sensitivity(NamedTuple):
    x0: Slopes
    goal: Slopes
    parameters: Dict[str, Slopes]

class Solution:
    q: Floats
    p: Floats
    v: Floats
    u: Floats
    impulses: Floats
    contact: Floats
    status: int
    objective: float
    iterations: int
    warm: bool
    h: float
    seconds: float
    violation: float
    @property
    def t(self) -> Floats: ...

class Solver:
    n: int
    nu: int
    nc: int
    N: int
    coordinates: Tuple[str, ...]
    inputs: Tuple[str, ...]
    constraints: Tuple[str, ...]
    warnings: List[str]
    watch: Optional[Callable[[Iterate], object]]
    def __init__(
        self,
        problem: Anything,
        replace: Optional[Mapping[str, Any]] = ...,
        watch: Optional[Callable[[Iterate], object]] = ...,
        copies: Optional[str] = ...,
    ) -> None: ...
    @property
    def x0(self) -> Floats: ...
    @property
    def goal(self) -> Floats: ...
    @property
    def parameters(self) -> Dict[str, Any]: ...
    def solve(
        self,
        x0: Optional[ArrayLike] = ...,
        goal: Optional[ArrayLike] = ...,
        parameters: Optional[Mapping[str, Any]] = ...,
    ) -> Solution: ...
    def sensitivity(
        self, parameters: Union[Sequence[str], Mapping[str, float]] = ...
    ) -> Sensitivity: ...
    def close(self) -> None: ...
    def __enter__(self) -> "Solver": ...
    def __exit__(self, *_: object) -> None: ...

class Map:
    n: int
    nx: int
    nu: int
    nc: int
    h: float
    threads: int
    failed: str
    coordinates: Tuple[str, ...]
    inputs: Tuple[str, ...]
    constraints: Tuple[str, ...]
    warnings: List[str]
    units: Dict[str, Tuple[str, ...]]
    limits: Dict[str, Floats]
    def __init__(
        self,
        problem: Anything,
        step: Optional[float] = ...,
        threads: int = ...,
        replace: Optional[Mapping[str, Any]] = ...,
        failed: str = ...,
        copies: Optional[str] = ...,
    ) -> None: ...
    def state(self, q: ArrayLike, v: ArrayLike) -> Floats: ...
    def velocity(self, x: ArrayLike) -> Tuple[Floats, Floats]: ...
    def energy(self, x: ArrayLike) -> Tuple[Floats, Floats]: ...
    @overload
    def step(
        self, x: ArrayLike, u: Optional[ArrayLike] = ..., impulses: Literal[False] = ...
    ) -> Floats: ...
    @overload
    def step(
        self, x: ArrayLike, u: Optional[ArrayLike] = ..., *, impulses: Literal[True]
    ) -> Tuple[Floats, Floats]: ...
    @overload
    def rollout(self, x: ArrayLike, u: ArrayLike, impulses: Literal[False] = ...) -> Floats: ...
    @overload
    def rollout(
        self, x: ArrayLike, u: ArrayLike, *, impulses: Literal[True]
    ) -> Tuple[Floats, Floats]: ...
    def linear(
        self, x: ArrayLike, u: Optional[ArrayLike] = ..., impulses: bool = ...
    ) -> Tuple[Floats, ...]: ...
    def hessian(
        self, x: ArrayLike, u: Optional[ArrayLike] = ..., z: Optional[ArrayLike] = ...
    ) -> Tuple[Floats, Floats, Floats]: ...
    def close(self) -> None: ...
    def __enter__(self) -> "Map": ...
    def __exit__(self, *_: object) -> None: ...

class Identified:
    values: Dict[str, float]
    deviations: Dict[str, float]
    covariance: Floats
    noise: Floats
    problem: Problem
    iterations: int
    places: Floats
    record: Dict[str, Any]
    folder: str

def run(
    problem: Anything, out: Optional[Path] = ..., progress: Progress = ..., **options: Any
) -> Result: ...
def optimize(
    problem: Anything, out: Optional[Path] = ..., progress: Progress = ..., **options: Any
) -> Result: ...
def descend(
    problem: Anything, out: Optional[Path] = ..., progress: Progress = ..., **options: Any
) -> Result: ...
def excite(
    problem: Anything, out: Optional[Path] = ..., progress: Progress = ..., **options: Any
) -> Result: ...
def simulate(
    problem: Anything, out: Optional[Path] = ..., progress: Progress = ..., **options: Any
) -> Result: ...
def gains(
    what: Union[Result, Anything],
    out: Optional[Path] = ...,
    progress: Progress = ...,
    **options: Any,
) -> Result: ...
def verify(
    what: Union[Result, Anything],
    out: Optional[Path] = ...,
    progress: Progress = ...,
    **options: Any,
) -> Result: ...
def export(
    what: Union[Result, Anything],
    out: Optional[Path] = ...,
    progress: Progress = ...,
    **options: Any,
) -> Result: ...
def linearize(
    what: Union[Result, Anything],
    out: Optional[Path] = ...,
    progress: Progress = ...,
    **options: Any,
) -> Result: ...
def check(problem: Anything, progress: Progress = ..., **options: Any) -> Dict[str, Any]: ...
def info(model: Anything, progress: Progress = ..., **options: Any) -> Dict[str, Any]: ...
def identify(
    problem: Anything,
    parameters: Union[None, Mapping[str, float], Sequence[str]] = ...,
    q: Optional[ArrayLike] = ...,
    u: Optional[ArrayLike] = ...,
    step: Optional[float] = ...,
    window: Optional[int] = ...,
    noise: Optional[ArrayLike] = ...,
    max_iter: int = ...,
    tolerance: Optional[float] = ...,
    threads: Optional[int] = ...,
    *,
    logs: Optional[Sequence[Path]] = ...,
    hold_out: Optional[Sequence[Path]] = ...,
    lack: Optional[ArrayLike] = ...,
    prior: Optional[float] = ...,
    out: Optional[Path] = ...,
    progress: Progress = ...,
) -> Identified: ...
def sweep(
    problem: Anything,
    vary: Union[None, str, Mapping[str, Any], Sequence[str]] = ...,
    out: Optional[Path] = ...,
    progress: Progress = ...,
    **options: Any,
) -> Sweep: ...
def symbols(problem: Anything) -> Any: ...
def tune(
    problem: Anything, out: Optional[Path] = ..., progress: Progress = ..., **options: Any
) -> Tuned: ...
def plot(
    *results: Shown, out: Optional[Path] = ..., progress: Progress = ..., **options: Any
) -> File: ...
def convert(
    result: Union[Result, Path],
    to: Optional[str] = ...,
    out: Optional[Path] = ...,
    progress: Progress = ...,
    **options: Any,
) -> File: ...
def report(
    *results: Shown, out: Optional[Path] = ..., progress: Progress = ..., **options: Any
) -> File: ...
def evaluate(
    model: Anything,
    q: ArrayLike,
    v: Optional[ArrayLike] = ...,
    progress: Progress = ...,
    **options: Any,
) -> Dict[str, Any]: ...
def load(folder: Path) -> Union[Result, Sweep]: ...
def finish(folder: Path) -> Union[Result, Sweep]: ...
def show(result: Union[Result, Sweep, Tuned, File, Path]) -> str: ...
