"""The same rows on any executor, and nothing lost or hidden when a worker dies."""

import functools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from threading import Lock, Timer
from typing import Any

import pytest

from lab import execution
from lab.cases import CASES
from lab.errors import InputError
from lab.evaluation import evaluate
from lab.evidence import Report
from lab.execution import concurrency
from lab.grading import Row
from lab.shop.fixtures import OfflineShopModel
from tests import workers
from tests.workers import (
    Counts,
    DiesOnReservations,
    Fails,
    KilledOnce,
    Lingers,
    NeedsPreparation,
    Slow,
)

pytestmark = pytest.mark.filterwarnings(
    # The journal's thread is there when a pool forks; from 3.12 on Python says so.
    "ignore:.*multi-threaded, use of fork:DeprecationWarning"
)
TIMED = ("seconds", "spans", "steps", "started")
NAMES = [case.name for case in CASES]
THREE_CAME_BACK = ["COMPLETED", "COMPLETED", "NOT_RUN", "COMPLETED", *["NOT_RUN"] * 4]


def untimed(report: Report) -> list[dict[str, Any]]:
    rows = [{k: v for k, v in row.items() if k not in TIMED} for row in report["cases"]]
    for row in rows:
        row["baseline"] = row["baseline"] | {"seconds": 0}
    return rows


def interrupted(report: Report) -> dict[str, int]:
    """The cases that were interrupted, and how often."""
    return {row["case"]: n for row in report["cases"] if (n := len(row["interruptions"]))}


def kinds(journal: Path) -> list[str]:
    return [json.loads(line)["kind"] for line in journal.read_text().splitlines()]


@contextmanager
def dask(**options: Any) -> Iterator[Any]:
    """A client of a cluster of two workers, each a process that a nanny starts again."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", **options}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with dask() as client:
        yield client


@pytest.fixture
def client(cluster: Any) -> Any:
    """The cluster's client, when both workers are there (again)."""
    cluster.wait_for_workers(2, timeout=60)
    return cluster


@pytest.fixture
def pool(kind: str, request: pytest.FixtureRequest) -> Iterator[Executor]:
    """An executor of two workers."""
    if kind == "dask":
        yield request.getfixturevalue("client").get_executor()
    elif kind == "threads":
        with ThreadPoolExecutor(2) as executor:
            yield executor
    else:
        with ProcessPoolExecutor(2, mp_context=get_context(kind)) as executor:
            yield executor


FORK = ["fork"] * ("fork" in multiprocessing.get_all_start_methods())
every_kind = pytest.mark.parametrize("kind", ["threads", "spawn", *FORK, "dask"])
processes = pytest.mark.parametrize("kind", ["spawn", *FORK, "dask"])


@every_kind
def test_every_executor_gives_the_rows_of_a_serial_run(
    kind: str, pool: Executor, tmp_path: Path
) -> None:
    serial = evaluate(Slow, repeats=2)
    journal = tmp_path / "j.jsonl"
    carried = evaluate(Slow, repeats=2, executor=pool, journal=journal)
    assert untimed(carried) == untimed(serial)
    assert [(row["case"], row["repetition"]) for row in carried["cases"]] == [
        (name, n) for name in NAMES for n in (1, 2)
    ]
    assert carried["counts"] == serial["counts"]
    assert (serial["settings"]["concurrency"], carried["settings"]["concurrency"]) == (1, 2)
    in_flight = most = 0
    for event in kinds(journal):
        in_flight += (event == "started") - (event == "finished")
        most = max(most, in_flight)
    assert (in_flight, most) == (0, 2)


@every_kind
def test_every_repeat_is_really_run(kind: str, pool: Executor, tmp_path: Path) -> None:
    report = evaluate(functools.partial(Counts, str(tmp_path)), repeats=5, executor=pool)
    assert report["counts"]["attempts"] == 40
    assert len(list(tmp_path.iterdir())) == 40


@every_kind
@pytest.mark.parametrize(
    ("error", "said"),
    [(RuntimeError("out of ice"), "RuntimeError: out of ice"), (SystemExit(4), "SystemExit: 4")],
)
def test_what_a_candidate_raises_fails_its_attempt_alone(
    kind: str, pool: Executor, error: BaseException, said: str
) -> None:
    report = evaluate(functools.partial(Fails, error), executor=pool)
    assert [row["loop_status"] for row in report["cases"]] == [
        "COMPLETED",
        "COMPLETED",
        "CANDIDATE_ERROR",
        *["COMPLETED"] * 5,
    ]
    assert report["cases"][2]["error"] == said
    assert report["counts"]["passed"] == 7
    assert report["acceptance"]["status"] == "REJECTED"
    assert interrupted(report) == {}


@processes
def test_a_worker_that_is_killed_loses_nothing_and_hides_nothing(
    kind: str, pool: Executor, tmp_path: Path
) -> None:
    factory = functools.partial(KilledOnce, str(tmp_path / "marker"))
    journal = tmp_path / "j.jsonl"
    report = evaluate(factory, repeats=2, executor=pool, journal=journal)
    assert report["counts"]["by_status"] == {"COMPLETED": 16}
    assert [(row["case"], row["repetition"]) for row in report["cases"]] == [
        (name, n) for name in NAMES for n in (1, 2)
    ]
    cuts = [row for row in report["cases"] if row["interruptions"]]
    assert "reserved_stock" in [row["case"] for row in cuts]
    assert len(cuts) <= 2  # it, and at most what the other worker had at that moment
    for row in cuts:
        (cut,) = row["interruptions"]
        assert cut["started"] <= cut["noticed"] <= row["started"]
    events = kinds(journal)
    assert events.count("interrupted") == len(cuts)
    assert events.count("started") == 16 + len(cuts)
    assert events.count("finished") == 16


@processes
def test_a_candidate_that_kills_its_worker_fails_alone(kind: str, pool: Executor) -> None:
    report = evaluate(DiesOnReservations, executor=pool)
    by_case = {row["case"]: row for row in report["cases"]}
    assert by_case["reserved_stock"]["loop_status"] == "CANDIDATE_ERROR"
    assert by_case["reserved_stock"]["error"] == "its worker process died, twice"
    assert report["counts"]["by_status"] == {"COMPLETED": 7, "CANDIDATE_ERROR": 1}
    assert report["counts"]["passed"] == 7
    assert interrupted(report)["reserved_stock"] == 1


@pytest.mark.parametrize("kind", ["spawn"])
def test_a_pool_that_broke_is_replaced_by_one_of_its_kind(tmp_path: Path, kind: str) -> None:
    factory = functools.partial(NeedsPreparation, str(tmp_path / "marker"))
    with ProcessPoolExecutor(
        2,
        mp_context=get_context("spawn"),
        initializer=workers.prepare,
        initargs=("yes",),
        max_tasks_per_child=2,
    ) as pool:
        report = evaluate(factory, executor=pool)
    assert report["counts"]["by_status"] == {"COMPLETED": 8}
    assert "reserved_stock" in interrupted(report)


@pytest.mark.skipif(os.name != "posix", reason="kills")
@pytest.mark.parametrize("kind", ["spawn", *FORK])
def test_workers_do_not_outlive_a_run_that_is_killed(kind: str, tmp_path: Path) -> None:
    code = f"from tests.workers import evaluate_until_killed as run; run({kind!r}, {tmp_path!r})"
    code = code.replace("PosixPath", "str")
    run = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
    run.kill()
    run.wait()
    numbers = [int(path.name) for path in tmp_path.iterdir()]
    wait_until(lambda: not any(map(is_alive, numbers)))


def wait_until(happened: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    # One that has died and that nobody has waited for is dead.
    return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def when_only_the_third_is_out(
    folder: Path, action: Callable[[], object]
) -> Callable[[int, int, Row], None]:
    """Have something happen while the third attempt lingers and two others have come back."""

    def progress(done: int, planned: int, row: Row) -> None:
        if done == 3:
            wait_until((folder / "number").exists)
            action()

    return progress


def the_third_was_cut(report: Report, folder: Path, *, most_others: int = 0) -> None:
    assert report["counts"]["by_status"] == {"COMPLETED": 8}
    assert [row["case"] for row in report["cases"]] == NAMES
    cut = interrupted(report)
    assert cut.pop("reserved_stock") == 1
    assert len(cut) <= most_others
    (folder / "number").unlink()
    starts = len(list(folder.iterdir()))
    assert 9 <= starts <= 9 + len(cut)  # not one that the report does not tell of


@processes
def test_a_worker_that_is_killed_from_outside(kind: str, pool: Executor, tmp_path: Path) -> None:
    def kill() -> None:
        os.kill(int((tmp_path / "number").read_text()), signal.SIGKILL)

    report = evaluate(
        functools.partial(Lingers, str(tmp_path)),
        executor=pool,
        progress=when_only_the_third_is_out(tmp_path, kill),
    )
    # A pool takes with it what its other worker has by then; Dask's other worker goes on.
    the_third_was_cut(report, tmp_path, most_others=0 if kind == "dask" else 1)


def test_a_dask_worker_that_is_retired_hides_no_rerun(tmp_path: Path) -> None:
    with dask() as client:

        def retire() -> None:
            (busy,) = (address for address, tasks in client.processing().items() if tasks)
            client.retire_workers([busy], close_workers=True)

        report = evaluate(
            functools.partial(Lingers, str(tmp_path)),
            executor=client.get_executor(),
            progress=when_only_the_third_is_out(tmp_path, retire),
        )
    the_third_was_cut(report, tmp_path)


def test_an_attempt_that_a_cluster_cancels_is_seen_to_be_interrupted(
    client: Any, tmp_path: Path
) -> None:
    executor = client.get_executor()
    report = evaluate(
        functools.partial(Lingers, str(tmp_path)),
        executor=executor,
        progress=when_only_the_third_is_out(
            tmp_path, lambda: client.cancel(list(executor._futures), force=True)
        ),
    )
    the_third_was_cut(report, tmp_path)


def test_a_second_start_of_one_submission_on_dask_carries_nothing_out(
    client: Any, tmp_path: Path
) -> None:
    """As when a result is lost with its worker before it was fetched."""
    execution._ticket("one", client).set()
    run = functools.partial(Counts, str(tmp_path))
    for _ in range(3):
        start = client.submit(execution._run_with_ticket, lambda go: go(), run, "one", pure=False)
        last = start.result()
    assert last == execution._StartedBefore()
    assert len(list(tmp_path.iterdir())) == 1


def test_dask_is_left_as_it_was_found(client: Any) -> None:
    def left(dask_scheduler: Any = None) -> tuple[int, int]:
        events = dask_scheduler.extensions["events"]._events
        return dask_scheduler.allowed_failures, len(events)

    before = client.run_on_scheduler(left)
    evaluate(OfflineShopModel, executor=client.get_executor())
    assert client.run_on_scheduler(left) == before


def test_dask_is_not_imported_for_others() -> None:
    code = (
        "import sys\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from lab import OfflineShopModel, evaluate\n"
        "with ThreadPoolExecutor(2) as pool:\n"
        "    assert evaluate(OfflineShopModel, executor=pool)['passed']\n"
        "print([name for name in sys.modules if name.startswith(('dask', 'distributed'))])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_a_cluster_without_workers_yet_gets_one_attempt_at_a_time() -> None:
    with dask(n_workers=0, processes=False) as client:
        assert concurrency(client.get_executor()) == 1
        Timer(0.3, client.cluster.scale, [1]).start()
        report = evaluate(OfflineShopModel, executor=client.get_executor())
    assert report["counts"]["passed"] == 8


def test_a_dask_client_that_is_closed_ends_the_run_with_a_whole_report(
    cluster: Any, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster.cluster, set_as_default=False) as mine:
        report = evaluate(
            functools.partial(Lingers, str(tmp_path)),
            executor=mine.get_executor(),
            progress=when_only_the_third_is_out(tmp_path, mine.close),
        )
    assert [row["loop_status"] for row in report["cases"]] == THREE_CAME_BACK
    assert interrupted(report) == {"reserved_stock": 1}
    assert report["acceptance"]["status"] == "REJECTED"


def test_an_executor_that_is_shut_down_ends_the_run_with_what_was_out(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        report = evaluate(
            functools.partial(Lingers, str(tmp_path)),
            executor=pool,
            progress=when_only_the_third_is_out(tmp_path, lambda: pool.shutdown(wait=False)),
        )
    statuses = [row["loop_status"] for row in report["cases"]]
    assert statuses == ["COMPLETED"] * 4 + ["NOT_RUN"] * 4
    assert interrupted(report) == {}
    assert report["acceptance"]["status"] == "REJECTED"


def test_an_executor_that_takes_nothing_is_refused(client: Any) -> None:
    shut = ThreadPoolExecutor(1)
    shut.shutdown()
    with pytest.raises(InputError, match=r"takes no attempt .*after shutdown.*it has to be open"):
        evaluate(OfflineShopModel, executor=shut)
    lock = Lock()
    with pytest.raises(InputError, match=r"takes no attempt .*serialize"):
        evaluate(lambda: (lock, OfflineShopModel())[1], executor=client.get_executor())


@pytest.mark.parametrize("kind", ["spawn", *FORK])
def test_what_cannot_be_sent_to_a_process_is_refused_before_anything_runs(
    kind: str, pool: Executor, tmp_path: Path
) -> None:
    journal, made = tmp_path / "j.jsonl", list[int]()

    def local() -> OfflineShopModel:
        made.append(1)
        return OfflineShopModel()

    with pytest.raises(InputError, match=r"cannot be sent .*top level of a module.* use threads"):
        evaluate(local, executor=pool, journal=journal)
    assert made == []
    assert "started" not in kinds(journal)


def test_what_a_process_cannot_import_is_refused_for_what_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a notebook, whose classes are in no module that a spawned process has."""
    here = types.ModuleType("only_here")
    here.Model = type("Model", (OfflineShopModel,), {"__module__": "only_here"})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "only_here", here)
    with (
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool,
        pytest.raises(InputError, match=r"cannot be sent .*No module named 'only_here'.*imported"),
    ):
        evaluate(here.Model, executor=pool)


def test_threads_may_carry_what_cannot_be_pickled() -> None:
    with ThreadPoolExecutor(3) as pool:
        report = evaluate(lambda: OfflineShopModel(), executor=pool)
    assert report["counts"]["passed"] == 8


@pytest.mark.parametrize("kind", ["serial", "threads"])
def test_an_interrupt_ends_the_run_with_a_whole_report(kind: str) -> None:
    made = list[int]()

    def interrupts() -> OfflineShopModel:
        made.append(1)
        if len(made) >= 3:
            raise KeyboardInterrupt
        return OfflineShopModel()

    if kind == "serial":
        report = evaluate(interrupts)
        assert [row["loop_status"] for row in report["cases"]] == [
            "COMPLETED",
            "COMPLETED",
            *["NOT_RUN"] * 6,
        ]
        assert len(made) == 3
    else:
        with ThreadPoolExecutor(2) as pool:
            report = evaluate(interrupts, executor=pool)
        assert report["counts"]["by_status"]["NOT_RUN"] >= 6
    assert [row["case"] for row in report["cases"]] == NAMES
    unfinished = [row for row in report["cases"] if row["loop_status"] == "NOT_RUN"]
    assert not any(row["passed"] or any(row["checks"].values()) for row in unfinished)
    assert {row["error"] for row in unfinished} == {"the run was cut short"}
    assert report["passed"] is False
    assert report["acceptance"]["status"] == "REJECTED"
