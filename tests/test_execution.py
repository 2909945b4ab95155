"""The same rows on any executor, and nothing lost when a worker dies."""

import functools
import json
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from lab.cases import CASES
from lab.errors import InputError
from lab.evaluation import evaluate
from lab.evidence import Report
from lab.shop.fixtures import OfflineShopModel
from tests.workers import Counts, DiesOnReservations, KilledOnce, Slow

TIMED = ("seconds", "spans", "steps", "started")


def untimed(report: Report) -> list[dict[str, Any]]:
    rows = [{k: v for k, v in row.items() if k not in TIMED} for row in report["cases"]]
    for row in rows:
        row["baseline"] = row["baseline"] | {"seconds": 0}
    return rows


@contextmanager
def dask() -> Iterator[Executor]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client.get_executor()


@contextmanager
def workers(kind: str) -> Iterator[Executor]:
    if kind == "dask":
        with dask() as executor:
            yield executor
    elif kind == "threads":
        with ThreadPoolExecutor(2) as executor:
            yield executor
    else:
        with ProcessPoolExecutor(2, mp_context=get_context(kind)) as executor:
            yield executor


KINDS = ["threads", "spawn", "dask"] + ["fork"] * (os.name == "posix")


@pytest.mark.parametrize("kind", KINDS)
def test_every_executor_gives_the_rows_of_a_serial_run(kind: str, tmp_path: Path) -> None:
    serial = evaluate(Slow, repeats=2)
    journal = tmp_path / "j.jsonl"
    with workers(kind) as executor:
        carried = evaluate(Slow, repeats=2, executor=executor, journal=journal)
    assert untimed(carried) == untimed(serial)
    assert carried["counts"] == serial["counts"]
    assert (serial["settings"]["concurrency"], carried["settings"]["concurrency"]) == (1, 2)
    in_flight = most = 0
    for entry in map(json.loads, journal.read_text().splitlines()):
        in_flight += (entry["kind"] == "started") - (entry["kind"] == "finished")
        most = max(most, in_flight)
    assert (in_flight, most) == (0, 2)


@pytest.mark.parametrize("kind", ["spawn", "dask"])
def test_a_worker_that_is_killed_loses_nothing_and_hides_nothing(kind: str, tmp_path: Path) -> None:
    factory = functools.partial(KilledOnce, str(tmp_path / "marker"))
    journal = tmp_path / "j.jsonl"
    with workers(kind) as executor:
        report = evaluate(factory, repeats=2, executor=executor, journal=journal)
    assert report["counts"]["by_status"] == {"COMPLETED": 16}
    assert [(row["case"], row["repetition"]) for row in report["cases"]] == [
        (case.name, n) for case in CASES for n in (1, 2)
    ]
    interrupted = [row["case"] for row in report["cases"] if row["interruptions"]]
    assert "reserved_stock" in interrupted
    assert len(interrupted) <= 2  # it, and at most what the other worker had at that moment
    kinds = [json.loads(line)["kind"] for line in journal.read_text().splitlines()]
    assert kinds.count("interrupted") == len(interrupted)
    assert kinds.count("started") == 16 + len(interrupted)
    assert kinds.count("finished") == 16


@pytest.mark.parametrize("kind", ["spawn", "dask"])
def test_a_candidate_that_kills_its_worker_fails_alone(kind: str) -> None:
    with workers(kind) as executor:
        report = evaluate(DiesOnReservations, executor=executor)
    by_case = {row["case"]: row for row in report["cases"]}
    assert by_case["reserved_stock"]["loop_status"] == "CANDIDATE_ERROR"
    assert by_case["reserved_stock"]["error"] == "its worker process died, twice"
    assert report["counts"]["by_status"] == {"COMPLETED": 7, "CANDIDATE_ERROR": 1}
    assert report["counts"]["passed"] == 7


@pytest.mark.parametrize("kind", KINDS)
def test_every_repeat_is_really_run(kind: str, tmp_path: Path) -> None:
    factory = functools.partial(Counts, str(tmp_path))
    with workers(kind) as executor:
        report = evaluate(factory, repeats=5, executor=executor)
    assert report["counts"]["attempts"] == 40
    assert len(list(tmp_path.iterdir())) == 40


def test_dask_is_left_as_it_was_found() -> None:
    def allowed(dask_scheduler: Any = None) -> int:
        return int(dask_scheduler.allowed_failures)

    with dask() as executor:
        client = executor._client  # type: ignore[attr-defined]
        before = client.run_on_scheduler(allowed)
        evaluate(OfflineShopModel, executor=executor)
        assert client.run_on_scheduler(allowed) == before > 0


def test_what_cannot_be_sent_to_a_process_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor,
        pytest.raises(InputError, match="top level of a module"),
    ):
        evaluate(lambda: OfflineShopModel(), executor=executor)


def test_threads_may_carry_what_cannot_be_pickled() -> None:
    with ThreadPoolExecutor(3) as executor:
        report = evaluate(lambda: OfflineShopModel(), executor=executor)
    assert report["counts"]["passed"] == 8


def test_an_interrupt_in_a_worker_ends_the_run_with_a_whole_report() -> None:
    def interrupts() -> OfflineShopModel:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as executor:
        report = evaluate(interrupts, executor=executor)
    assert report["counts"]["by_status"] == {"NOT_RUN": 8}
    assert report["acceptance"]["status"] == "REJECTED"
