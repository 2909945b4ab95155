"""`lab ...`: reading the command line and printing; everything else happens elsewhere."""

import argparse
import json
import sys
import threading
import tomllib
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import fields, replace
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from lab import candidates, interpretation, rates, request_tables, tables, terminal
from lab.cases import CASES, Case, load_cases
from lab.checkpoint import checkpoint
from lab.errors import InputError, LabError
from lab.evaluation import evaluate, regrade
from lab.evidence import Report, load_report, save_report
from lab.grading import Criteria
from lab.interpretation.candidates import Infer, refuse_timeout
from lab.journal import Journal, latest_unfinished, new_path
from lab.options import parser
from lab.shop import folder, local
from lab.shop.fixtures import GuidedFixture, OfflineShopModel
from lab.shop.loop import Limits
from lab.shop.models import Model
from lab.shop.skills import OPENING_PROCEDURE, Skill
from lab.timing import fair_timing

REVIEW_REQUIRED, REJECTED, BAD_INPUT, FAULT, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; see `lab --help`."""
    options = parser().parse_args(arguments)
    try:
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
    output, active = _configuration(options)
    cases = _cases(options)
    diary = _journal(options, output)
    with ExitStack() as stack:
        factory = _candidate(stack, options)
        report = evaluate(
            factory,
            cases=cases,
            skill=_skill(options.skill),
            skills=active,
            repeats=options.repeats,
            limits=_limits(options.limit),
            criteria=_criteria(options),
            executor=_executor(stack, options.workers),
            journal=diary,
            progress=terminal.ProgressLine(),
        )
        # Before a server is closed, which may have to wait for a reply it is still writing.
        path, digest = save_report(output, report)
    _print(options, report, path, digest, tables.show_report)
    unfinished = report["counts"]["by_status"].get("NOT_RUN", 0)
    if unfinished:
        attempts = report["counts"]["attempts"]
        print(
            f"lab: interrupted: {unfinished} of {attempts} attempts did not run;"
            f" the same command with --resume goes on",
            file=sys.stderr,
        )
        return INTERRUPTED
    return REVIEW_REQUIRED if report["passed"] else REJECTED


def run_checkpoint(options: argparse.Namespace) -> int:
    """`lab checkpoint`."""
    with ExitStack() as stack:
        live = _candidate(stack, options) if options.live or options.url else None
        report = checkpoint(live, progress=terminal.ProgressLine())
        path, digest = save_report(options.output, report)
    _print(options, report, path, digest, tables.show_checkpoint)
    return 0 if report["checkpoint"]["as_written"] else 1


def run_requests(options: argparse.Namespace) -> int:
    """`lab requests`."""
    path = (
        options.output or Path("lab-reports") / f"requests-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.json"
    )
    if path.exists():
        raise InputError(f"{path}: is there already and stays as it is; name a new file")
    with ExitStack() as stack:
        report = interpretation.run_requests(
            _interpreters(stack, options),
            repeats=options.repeats,
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
        compared = "a whole report; no digest was given to compare its bytes with"
    with terminal.unheard():
        print(f"{options.report}: {compared}")
        for told in _results(report):
            print(terminal.printable(told))
        print("this says nothing of whether the grading was right or anybody reviewed it")
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
    if report.get("kind") == "requests":
        differences = interpretation.regrade(report["cases"])
    else:
        differences = regrade(report)
    with terminal.unheard():
        for found in differences:
            told = "{case} {repetition}: {check} was {kept}, is now {now}".format(**found)
            if "candidate" in found:
                told = f"{found['candidate']}, {told}"
            print(terminal.printable(told))
        print(f"{len(differences)} judgements come out otherwise with this version's checks")
    return 1 if differences else 0


def run_timing(options: argparse.Namespace) -> int:
    """`lab timing`."""
    found = fair_timing(load_report(options.report))
    with terminal.unheard():
        tables.show_timing(terminal.console(), found, ("least", "median", "most"))
        print(f"At most {found['repetitions']} repetitions of a case. {found['cannot_show']}")
    return 0


def run_model(options: argparse.Namespace) -> int:
    """`lab model install`, `serve` and `check`."""
    if options.action == "install":
        print(local.install())
        return 0
    with ExitStack() as stack:
        server = _server(stack, options)
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


def _configuration(options: argparse.Namespace) -> tuple[Path, tuple[Skill, ...]]:
    """Return where to save, and the skills that are active there."""
    if options.root is None:
        return options.output or Path("lab-reports"), ()
    if options.output is not None:
        raise InputError("--output: with --root the report is saved in that agent's folder")
    return options.root / "reports", folder.active_configuration(options.root)


def _criteria(options: argparse.Namespace) -> Criteria | None:
    if options.max_seconds is None and options.max_cost_pence is None:
        return None
    return Criteria(max_seconds=options.max_seconds, max_cost_pence=options.max_cost_pence)


def _cases(options: argparse.Namespace) -> list[Case]:
    cases = load_cases(options.cases) if options.cases else CASES
    chosen = [case for case in cases if options.split in (None, case.split)]
    if not chosen:
        raise InputError(f"--split {options.split}: no case belongs to it")
    return chosen


def _skill(name: str | None) -> Skill | None:
    """Read a candidate skill: `opening`, or a TOML file with name, version and content."""
    if name is None:
        return None
    if name == "opening":
        return OPENING_PROCEDURE
    try:
        read = tomllib.loads(Path(name).read_text("utf-8"))
        return Skill(**read)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            f"--skill {name}: {error}; give 'opening' or a TOML file of name, version, content"
        ) from None


def _limits(settings: Sequence[str]) -> Limits:
    known = {field.name: field.type for field in fields(Limits)}
    chosen: dict[str, Any] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in known:
            raise InputError(f"--limit {setting}: the limits are {', '.join(known)}")
        try:
            chosen[name] = float(value) if name == "seconds" else int(value)
        except ValueError:
            raise InputError(f"--limit {setting}: {value!r} is not a number") from None
    return Limits(**chosen)


def _executor(stack: ExitStack, workers: int) -> Executor | None:
    if workers < 1:
        raise InputError(f"--workers {workers}: at least one is needed")
    if workers == 1:
        return None
    # Spawned, not forked: a worker starts clean, without this process's cases in its memory.
    return stack.enter_context(ProcessPoolExecutor(workers, mp_context=get_context("spawn")))


def _journal(options: argparse.Namespace, output: Path) -> Journal:
    path = options.journal
    if options.resume:
        path = path or latest_unfinished(output)
        if path is not None:
            return Journal.resume(path)
        print(f"lab: {output}: nothing to go on with; starting anew", file=sys.stderr)
    return Journal.create(path or new_path(output))


def _candidate(stack: ExitStack, options: argparse.Namespace) -> Callable[[], Model]:
    if not options.live and not options.url:
        return GuidedFixture if options.guided else OfflineShopModel
    server = _server(stack, options)
    if options.no_preflight:
        return server
    return server.checked(lambda sentence: print(sentence, file=sys.stderr))


def _interpreters(stack: ExitStack, options: argparse.Namespace) -> dict[str, Infer]:
    """Return the rule to beat, the two that never listen, and what a model makes of it."""
    found: dict[str, Infer] = {
        "keywords": interpretation.keywords,
        "always_draft": interpretation.always_draft,
        "always_clarify": interpretation.always_clarify,
    }
    refuse_timeout(options.timeout)
    if options.live or options.url:
        server = _server(stack, options)
        if not options.no_preflight:
            server.checked(lambda _: None)
        model = server()
        stack.callback(model.close)
        found |= interpretation.instructed(model, timeout=options.timeout)
    return found


def _server(stack: ExitStack, options: argparse.Namespace) -> candidates.Server:
    if not options.url:
        server = stack.enter_context(candidates.box())
    elif options.model:
        server = candidates.Server(options.url, options.model, candidates.api_key())
    else:
        raise InputError("--url needs --model, the name by which that server knows it")
    return replace(
        server,
        reasoning_effort=None if options.reasoning_effort == "omit" else options.reasoning_effort,
        use_system_proxies=options.system_proxies,
        constrained=getattr(options, "constrained", False),
    )


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "evaluate": run_evaluate,
    "checkpoint": run_checkpoint,
    "requests": run_requests,
    "verify": run_verify,
    "regrade": run_regrade,
    "timing": run_timing,
    "model": run_model,
    "shop": run_shop,
}
