"""Independent tasks over local processes, results as they come."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_tasks(function: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[Result]:
    """Yield the result of every task, in the order in which they finish.

    Parameters
    ----------
    function : callable
        A module-level function of a task's items.
    tasks : sequence of tuple
        Arguments, one tuple a task.
    jobs : int
        Processes; one means this process and the order of the tasks.

    Examples
    --------
    >>> list(run_tasks(max, [(1, 2), (4, 3)], jobs=1))
    [2, 4]
    """
    if jobs == 1 or len(tasks) <= 1:
        for task in tasks:
            yield function(*task)
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=min(jobs, len(tasks)), return_as="generator_unordered", batch_size=1)
    with warnings.catch_warnings():
        # Whoever interrupts knows that tasks in flight are lost; joblib need not warn of it.
        warnings.filterwarnings("ignore", message=r".*tasks which were still being processed", category=UserWarning)
        yield from parallel(delayed(function)(*task) for task in tasks)
