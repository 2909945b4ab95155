"""`lab ...`: reading the command line and printing; everything else happens elsewhere."""

import argparse
import importlib.util
import json
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path

from lab import (
    attack_tables,
    attacks,
    choices,
    comparing,
    exporting,
    interpretation,
    people,
    rates,
    request_tables,
    showing,
    tables,
    terminal,
)
from lab.checkpoint import checkpoint
from lab.copies import UNITS, copy_of
from lab.desk import work_on
from lab.effort import read_effort, summary
from lab.errors import LabError, UnavailableError
from lab.evaluation import evaluate, regrade
from lab.evidence import Report, load_report, reading, refuse_unwritable, save_report
from lab.options import parser
from lab.shop import folder, local
from lab.timing import fair_timing

REVIEW_REQUIRED, REJECTED, BAD_INPUT, FAULT, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; see `lab --help`."""
    options = parser().parse_args(arguments)
    try:
        if hasattr(options, "url"):
            choices.refuse_unused(options)
        return COMMANDS[options.command](options)
    except LabError as error:
        print(f"lab: {terminal.printable(error)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("lab: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception:  # noqa: BLE001  (its exit status must not be read as a verdict)
        traceback.print_exc()
        print("lab: this is a fault in the lab, not a result", file=sys.stderr)
        return FAULT


def run_evaluate(options: argparse.Namespace) -> int:
    """`lab evaluate`."""
    output, active = choices.configuration(options)
    cases = choices.cases(options)
    diary = choices.journal(options, output)
    with ExitStack() as stack:
        factory = choices.candidate(stack, options)
        report = evaluate(
            factory,
            cases=cases,
            skill=choices.skill(options.skill),
            skills=active,
            repeats=options.repeats,
            limits=choices.limits(options.limit),
            criteria=choices.criteria(options),
            executor=choices.executor(stack, options.workers),
            journal=diary,
            ledger=options.ledger,
            progress=terminal.ProgressLine(),
        )
        # Before a server is closed, which may have to wait for a reply it is still writing.
        path, digest = save_report(output, report)
    _print(options, report, path, digest, tables.show_report)
    unfinished = report["counts"]["by_status"].get("NOT_RUN", 0)
    if unfinished:
        attempts = report["counts"]["attempts"]
        print(
            f"lab: interrupted: {unfinished} of {attempts} attempts did not come to an end;"
            f" the same command with --resume goes on",
            file=sys.stderr,
        )
        return INTERRUPTED
    return REVIEW_REQUIRED if report["passed"] else REJECTED


def run_checkpoint(options: argparse.Namespace) -> int:
    """`lab checkpoint`."""
    with ExitStack() as stack:
        live = choices.candidate(stack, options) if options.live or options.url else None
        report = checkpoint(live, progress=terminal.ProgressLine())
        path, digest = save_report(options.output, report)
    _print(options, report, path, digest, tables.show_checkpoint)
    return 0 if report["checkpoint"]["as_written"] else 1


def run_attacks(options: argparse.Namespace) -> int:
    """`lab attack`."""
    if options.mutate:
        mutants = attacks.mutation_test()
        with terminal.unheard():
            print(json.dumps(mutants)) if options.json else attack_tables.show_mutants(mutants)
        return 0 if all(mutant["noticed_by"] for mutant in mutants) else 1
    matrix = attacks.attack_matrix(choices.attacks(options))
    with terminal.unheard():
        print(json.dumps(matrix)) if options.json else attack_tables.show_attacks(matrix)
    return 1 if any(entry["deviations"] for entry in matrix) else 0


def run_requests(options: argparse.Namespace) -> int:
    """`lab requests`."""
    path = (
        options.output or Path("lab-reports") / f"requests-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.json"
    )
    refuse_unwritable(path)
    cases = choices.requests(options)
    with ExitStack() as stack:
        report = interpretation.run_requests(
            choices.interpreters(stack, options),
            cases=cases,
            repeats=options.repeats,
            ledger=options.ledger,
            progress=terminal.ProgressLine(),
        )
        path, digest = save_report(path.parent, report, name=path.name)
    _print(options, report, path, digest, request_tables.show_requests)
    unfinished = sum(row["mechanism"] == "not run" for row in report["cases"])
    if unfinished:
        told = f"{unfinished} of {len(report['cases'])} attempts did not run"
        print(f"lab: interrupted: {told}; the report has them as failed", file=sys.stderr)
        return INTERRUPTED
    return 0


def run_verify(options: argparse.Namespace) -> int:
    """`lab verify`."""
    report = load_report(options.report, options.digest)
    compared = "the bytes are those of the digest"
    if options.digest is None:
        compared = (
            "a whole report, whose verdict, counts and totals are what its attempts add up to;"
            " no digest was given, so its words and its attempts themselves may have been changed"
        )
    told = [*_results(report), people.review_of(options.report, report)]
    with terminal.unheard():
        print(f"{options.report}: {compared}")
        for line in told:
            print(terminal.printable(line))
        print("the digest says nothing of whether the grading was right")
    return 0


def _results(report: Report) -> Iterator[str]:
    """Say what a report of either kind comes to, a line each."""
    found = rates.report_rates(report)
    if report.get("kind") == "requests":
        yield from (f"{name}: {rates.text(each['passed'])} passed" for name, each in found.items())
    else:
        yield f"{rates.text(found['passed'])} attempts, {report['acceptance']['status']}"
    yield rates.MEANING


def run_regrade(options: argparse.Namespace) -> int:
    """`lab regrade`."""
    report = load_report(options.report)
    with reading(options.report):
        if report.get("kind") == "requests":
            differences = interpretation.regrade(report["cases"])
        else:
            differences = regrade(report)
    with terminal.unheard():
        for found in differences:
            told = "{case} {repetition}: {check} was {kept}, is now {now}".format(**found)
            if found["now"] is None:
                told = "{case} {repetition}: {check} was {kept}, is no check here".format(**found)
            if "candidate" in found:
                told = f"{found['candidate']}, {told}"
            print(terminal.printable(told))
        print(f"{len(differences)} judgements come out otherwise with this version's checks")
    return 1 if differences else 0


def run_timing(options: argparse.Namespace) -> int:
    """`lab timing`."""
    report = load_report(options.report)
    with reading(options.report):
        found = fair_timing(report)
    with terminal.unheard():
        tables.show_timing(terminal.console(), found, ("least", "median", "most"))
        print(f"At most {found['repetitions']} repetitions of a case. {found['cannot_show']}")
    return 0


def run_effort(options: argparse.Namespace) -> int:
    """`lab effort`."""
    if options.action == "show":
        found = summary(read_effort(options.file) if options.file.exists() else [])
        with terminal.unheard():
            request_tables.show_effort(found)
        return 0
    cases = choices.requests(options)
    with ExitStack() as stack:
        propose = choices.proposer(stack, options)
        try:
            for case in cases:
                work_on(options.file, case, options.way, person=options.person, propose=propose)
        except EOFError:
            raise KeyboardInterrupt from None
    return 0


def run_notebook(options: argparse.Namespace) -> int:
    """`lab notebook`."""
    units = UNITS if options.reset is None else (options.reset,)
    copies = [copy_of(unit, options.folder, fresh=options.reset is not None) for unit in units]
    for path in copies:
        print(path)
    if options.no_browser:
        return 0
    if importlib.util.find_spec("jupyterlab") is None:
        raise UnavailableError(
            "JupyterLab is not installed; run `pip install 'agent-evaluation-lab[notebooks]'`, or"
            " -e '.[notebooks]' in a checkout"
        )
    return subprocess.call([sys.executable, "-m", "jupyterlab", *map(str, copies[:1])])  # noqa: S603


def run_model(options: argparse.Namespace) -> int:
    """`lab model install`, `serve` and `check`."""
    if options.action != "check":
        choices.refuse_address(options)
    if options.action == "install":
        print(local.install())
        return 0
    with ExitStack() as stack:
        server = choices.server(stack, options)
        if options.action == "check":
            server.checked(print)
            return 0
        print(f"{server.model} answers at {server.base_url} until you press Ctrl-C", flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
        return 0


def run_shop(options: argparse.Namespace) -> int:
    """`lab shop init`."""
    print(folder.create_folder(options.directory))
    return 0


def _print(
    options: argparse.Namespace,
    report: Report,
    path: Path,
    digest: str,
    show: Callable[[Report], None],
) -> None:
    with terminal.unheard():
        if options.json:
            kept = {name: value for name, value in report.items() if name != "cases"}
            found = rates.report_rates(report)
            print(json.dumps({**kept, "rates": found, "report": str(path), "sha256": digest}))
        else:
            show(report)
            terminal.show_saved(path, digest)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "evaluate": run_evaluate,
    "attack": run_attacks,
    "checkpoint": run_checkpoint,
    "requests": run_requests,
    "review": people.run_review,
    "calibrate": people.run_calibrate,
    "ledger": people.run_ledger,
    "classroom": people.run_classroom,
    "verify": run_verify,
    "regrade": run_regrade,
    "timing": run_timing,
    "export": exporting.run_export,
    "show": showing.run_show,
    "compare": comparing.run_compare,
    "effort": run_effort,
    "notebook": run_notebook,
    "model": run_model,
    "shop": run_shop,
}
