"""From what was typed to what it means: the cases, the candidate, the journal, the executor."""

import argparse
import sys
import tomllib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import fields, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from lab import candidates, interpretation
from lab.attacks import CATALOGUE, Attack, named
from lab.cases import CASES, Case, load_cases
from lab.errors import InputError
from lab.grading import Criteria
from lab.interpretation.candidates import Infer, refuse_timeout
from lab.interpretation.cases import REQUEST_CASES, RequestCase
from lab.interpretation.files import load_request_cases
from lab.journal import Journal, latest_unfinished, new_path
from lab.shop import folder
from lab.shop.fixtures import GuidedFixture, OfflineShopModel
from lab.shop.loop import Limits
from lab.shop.models import Model
from lab.shop.skills import OPENING_PROCEDURE, Skill


def configuration(options: argparse.Namespace) -> tuple[Path, tuple[Skill, ...]]:
    """Return where to save, and the skills that are active there."""
    if options.root is None:
        return options.output or Path("lab-reports"), ()
    if options.output is not None:
        raise InputError("--output: with --root the report is saved in that agent's folder")
    return options.root / "reports", folder.active_configuration(options.root)


def criteria(options: argparse.Namespace) -> Criteria | None:
    """Return what was declared beforehand, None where nothing was."""
    if options.max_seconds is None and options.max_cost_pence is None:
        return None
    return Criteria(max_seconds=options.max_seconds, max_cost_pence=options.max_cost_pence)


def cases(options: argparse.Namespace) -> list[Case]:
    """Return the cases of the file, or the lab's own, of the chosen split."""
    cases = load_cases(options.cases) if options.cases else CASES
    chosen = [case for case in cases if options.split in (None, case.split)]
    if not chosen:
        raise InputError(f"--split {options.split}: no case belongs to it")
    return chosen


def skill(name: str | None) -> Skill | None:
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


def limits(settings: Sequence[str]) -> Limits:
    """Return the limits with each NAME=N put in place."""
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


def executor(stack: ExitStack, workers: int) -> Executor | None:
    """Return the processes that carry the attempts, None for this one."""
    if workers < 1:
        raise InputError(f"--workers {workers}: at least one is needed")
    if workers == 1:
        return None
    # Spawned, not forked: a worker starts clean, without this process's cases in its memory.
    return stack.enter_context(ProcessPoolExecutor(workers, mp_context=get_context("spawn")))


def journal(options: argparse.Namespace, output: Path) -> Journal:
    """Return the run's journal: a new one, or the one to go on with."""
    path = options.journal
    if options.resume:
        path = path or latest_unfinished(output)
        if path is not None:
            return Journal.resume(path)
        print(f"lab: {output}: nothing to go on with; starting anew", file=sys.stderr)
    return Journal.create(path or new_path(output))


def candidate(stack: ExitStack, options: argparse.Namespace) -> Callable[[], Model]:
    """Return what makes the model of each attempt."""
    if not options.live and not options.url:
        return GuidedFixture if getattr(options, "guided", False) else OfflineShopModel
    found = server(stack, options)
    if options.no_preflight:
        return found
    return found.checked(lambda sentence: print(sentence, file=sys.stderr))


def attacks(options: argparse.Namespace) -> list[Attack]:
    """Return the attack of this name, or those of this kind, or all."""
    if options.only is not None:
        return [named(options.only)]
    return [attack for attack in CATALOGUE if options.kind in (None, attack.kind)]


def any_case(path: Path | None, name: str) -> Case | RequestCase:
    """Return the case or request of this name, of a file or of the lab's own."""
    if path is None:
        known: list[Case | RequestCase] = [*CASES, *REQUEST_CASES]
    else:
        try:
            known = [*load_cases(path)]
        except InputError:
            known = [*load_request_cases(path)]
    found = [case for case in known if case.name == name]
    if not found:
        raise InputError(f"{name!r} is not one of {', '.join(case.name for case in known)}")
    return found[0]


def requests(options: argparse.Namespace) -> list[RequestCase]:
    """Return the requests of the file, or the lab's own; of those the one that was named."""
    cases = load_request_cases(options.cases) if options.cases else REQUEST_CASES
    chosen = [case for case in cases if options.case in (None, case.name)]
    if not chosen:
        names = ", ".join(case.name for case in cases)
        raise InputError(f"--case {options.case}: the requests are {names}")
    return chosen


def interpreters(stack: ExitStack, options: argparse.Namespace) -> dict[str, Infer]:
    """Return the rule to beat, the two that never listen, and what a model makes of it."""
    found: dict[str, Infer] = {
        "keywords": interpretation.keywords,
        "always_draft": interpretation.always_draft,
        "always_clarify": interpretation.always_clarify,
    }
    refuse_timeout(options.timeout)
    return found | instructed(stack, options) if options.live or options.url else found


def instructed(stack: ExitStack, options: argparse.Namespace) -> dict[str, Infer]:
    """Return the candidates that one model makes; UnavailableError where it does not answer."""
    found = server(stack, options)
    if not options.no_preflight:
        found.checked(lambda _: None)
    model = found()
    stack.callback(model.close)
    return interpretation.instructed(model, timeout=options.timeout)


def proposer(stack: ExitStack, options: argparse.Namespace) -> Infer | None:
    """Return who makes the first proposal to a person: nobody, the rule or a model."""
    if options.way == "model":
        return instructed(stack, options)["constrained"]
    return interpretation.keywords if options.way == "keywords" else None


def refuse_unused(options: argparse.Namespace) -> None:
    """InputError for an option of a model that the chosen candidate would leave unread."""
    uses_model = options.live or options.url or getattr(options, "way", None) == "model"
    if options.model and not options.url:
        raise InputError("--model: names a model at --url, which is not given; the box has its own")
    for name in ("constrained", "system_proxies", "no_preflight"):
        if getattr(options, name, False) and not uses_model:
            raise InputError(f"--{name.replace('_', '-')}: is of a model; add --live or --url")
    if options.reasoning_effort is not None and not uses_model:
        raise InputError("--reasoning-effort: is of a model; add --live or --url")


def refuse_address(options: argparse.Namespace) -> None:
    """InputError for options of another server where the model in the box is meant."""
    if options.url or options.constrained or options.system_proxies or options.reasoning_effort:
        raise InputError(f"lab model {options.action} is about the model in the box alone")


def server(stack: ExitStack, options: argparse.Namespace) -> candidates.Server:
    """Return the model behind an address, or the one in the box while `stack` lasts."""
    if not options.url:
        found = stack.enter_context(candidates.box())
    elif options.model:
        found = candidates.Server(options.url, options.model, candidates.api_key())
    else:
        raise InputError("--url needs --model, the name by which that server knows it")
    effort = options.reasoning_effort or "none"
    return replace(
        found,
        reasoning_effort=None if effort == "omit" else effort,
        use_system_proxies=options.system_proxies,
        constrained=getattr(options, "constrained", False),
    )
