"""What `lab` can be told on its command line."""

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Any

from lab.attacks.attack import KINDS
from lab.candidates import KEY_VARIABLE
from lab.cases import SPLITS
from lab.effort import WAYS
from lab.export import FORMATS
from lab.shop.loop import Limits

LIMITS = "one limit of an attempt: " + ", ".join(f"{f.name}={f.default}" for f in fields(Limits))

LEDGER = "remember here what is frozen and seen, and say which cases are still held out"

EXITS = """exit status:
  0    REVIEW_REQUIRED: every named check passed, and a person still has to review;
       of the other commands: what was asked for was done, or came out as written
  1    REJECTED; of attack, checkpoint and regrade: something came out otherwise
  2    bad usage or input, or something that is needed is not there
  3    a fault in the lab itself
  130  interrupted: the report is saved, with what did not run in it as NOT_RUN
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    whole = argparse.ArgumentParser(
        prog="lab",
        description="Measure whether an AI agent really helps.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, says: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=says, description=says)

    _add_evaluate(command("evaluate", "run a candidate on cases, grade, save"))
    _add_checkpoint(command("checkpoint", "check the instrument against fixtures"))
    _add_attack(command("attack", "attack the instrument: what it catches, and what it cannot see"))
    review = command("review", "read a report's answers beside their observations, and judge them")
    review.add_argument("report", type=Path)
    review.add_argument("--reviewer", metavar="NAME", help="who judges; without it, only the state")
    review.add_argument("--json", action="store_true", help="print the state as JSON, ask nothing")
    _add_calibrate(command("calibrate", "how far a reviewer can be believed, on labelled answers"))
    _add_ledger(command("ledger", "which candidate was frozen when, and which cases it has seen"))
    _add_requests(command("requests", "does interpreting language beat a plain rule?"))
    verify = command("verify", "check a saved report's digest, shape and sums")
    verify.add_argument("report", type=Path)
    verify.add_argument("--digest", help="the sha256 that was printed when it was saved")
    again = command("regrade", "grade a saved report's transcripts again, offline")
    again.add_argument("report", type=Path)
    timing = command("timing", "script and agent over the same three stages, from a saved report")
    timing.add_argument("report", type=Path)
    show = command("show", "a saved report, in the terminal or as one page that anybody can open")
    show.add_argument("report", type=Path)
    show.add_argument("--html", type=Path, metavar="OUT", help="a new file: the page")
    _add_export(command("export", "a saved report as JUnit XML, CSV or a log of Inspect AI"))
    _add_compare(command("compare", "two saved reports on the same cases, beside each other"))
    _add_effort(command("effort", "a person's own seconds: record them, show them"))
    _add_classroom(command("classroom", "check submissions in a sandbox; make hidden trials"))
    notebook = command("notebook", "open the units in JupyterLab, on copies of your own")
    notebook.add_argument("--folder", type=Path, default=Path("lab-work"), help="yours: lab-work")
    notebook.add_argument("--reset", metavar="UNIT", help="a fresh copy; the old one is kept")
    notebook.add_argument("--no-browser", action="store_true", help="make the copies only")
    model = command("model", "the model in the box: install, serve, check")
    model.add_argument("action", choices=("install", "serve", "check"))
    model.set_defaults(live=True)
    _add_server(model)
    shop = command("shop", "make the folder of an operating agent")
    shop.add_argument("action", choices=("init",))
    shop.add_argument("directory", type=Path)
    return whole


def _add_evaluate(to: argparse.ArgumentParser) -> None:
    _add_candidate(to)
    to.add_argument(
        "--cases", type=Path, metavar="FILE", help="your own: TOML, JSON, JSONL of Inspect"
    )
    to.add_argument("--split", choices=SPLITS, help="only the cases of one split")
    to.add_argument("--repeats", type=int, default=1, help="attempts a case, 1 to 5")
    to.add_argument("--skill", help="the candidate procedure: 'opening' or a TOML file")
    to.add_argument("--root", type=Path, metavar="DIR", help="evaluate the agent of this folder")
    to.add_argument("--output", type=Path, metavar="DIR", help="where reports go: lab-reports")
    to.add_argument("--max-seconds", type=float, help="criterion: seconds an attempt may take")
    to.add_argument("--max-cost-pence", type=int, help="criterion: estimated pence an attempt")
    to.add_argument("--limit", action="append", default=[], metavar="NAME=N", help=LIMITS)
    to.add_argument("--workers", type=int, default=1, help="attempts at a time, in processes")
    to.add_argument("--journal", type=Path, metavar="FILE", help="where attempts are kept at once")
    to.add_argument("--resume", action="store_true", help="go on with a run that was cut short")
    to.add_argument("--ledger", type=Path, metavar="FILE", help=LEDGER)
    to.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object instead, the attempts left out: they are in the report",
    )


def _add_checkpoint(to: argparse.ArgumentParser) -> None:
    which = to.add_mutually_exclusive_group()
    which.add_argument("--live", action="store_true", help="the model in the box beside it")
    _add_server(to, which)
    to.add_argument("--no-preflight", action="store_true", help="ask the server nothing beforehand")
    to.add_argument("--output", type=Path, metavar="DIR", default=Path("lab-reports"))
    to.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object instead, the attempts left out: they are in the report",
    )


def _add_attack(to: argparse.ArgumentParser) -> None:
    to.add_argument("--only", metavar="NAME", help="one attack of the catalogue")
    to.add_argument("--kind", choices=KINDS, help="the attacks of one kind")
    to.add_argument("--mutate", action="store_true", help="attack with worse checks in their place")
    to.add_argument("--json", action="store_true", help="print JSON instead")


def _add_calibrate(to: argparse.ArgumentParser) -> None:
    which = to.add_mutually_exclusive_group()
    which.add_argument("--live", action="store_true", help="the model in the box as a reviewer too")
    _add_address(to, which)
    to.add_argument("--no-preflight", action="store_true", help="ask the server nothing beforehand")
    to.add_argument("--person", metavar="NAME", help="ask a person here instead")
    to.add_argument("--answers", type=Path, metavar="FILE", help="your own labelled answers, TOML")
    to.add_argument("--output", type=Path, metavar="FILE", help="keep every reply in a new file")
    to.add_argument("--json", action="store_true", help="print one JSON object instead")


def _add_ledger(to: argparse.ArgumentParser) -> None:
    to.add_argument("file", type=Path)
    to.add_argument("--move", metavar="CASE", help="note that a case belongs elsewhere from now on")
    to.add_argument("--to", metavar="SPLIT", help="where to")
    to.add_argument("--reason", help="why, in words")
    to.add_argument("--cases", type=Path, metavar="FILE", help="where the case is from")
    to.add_argument("--report", type=Path, help="is this report's ledger the one here?")
    to.add_argument("--json", action="store_true", help="print the entries as JSON instead")


def _add_classroom(to: argparse.ArgumentParser) -> None:
    actions = to.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser("check", help="check submissions, and write the books on them")
    check.add_argument("paths", type=Path, nargs="+", help="folders, zips, or a folder of them")
    check.add_argument("--output", type=Path, required=True, metavar="DIR", help="where books go")
    check.add_argument("--holdouts", type=Path, metavar="FILE", help="hidden trials, JSON")
    check.add_argument("--rubric", type=Path, metavar="FILE", help="weights of the parts, TOML")
    check.add_argument("--decisions", type=Path, metavar="FILE", help="what you decided, TOML")
    check.add_argument("--ledger", type=Path, metavar="FILE", help=LEDGER)
    check.add_argument("--jobs", type=int, default=2, help="submissions at a time: 2")
    hidden = actions.add_parser("holdouts", help="make hidden trials, for you to read before use")
    new = hidden.add_subparsers(dest="what", required=True, metavar="new").add_parser("new")
    new.add_argument("--seed", type=int, help="to make the same again: who knows it, knows them")
    new.add_argument("--output", type=Path, required=True, metavar="FILE", help="a new file")
    samples = actions.add_parser("samples", help="write submissions to try the desk on")
    samples.add_argument("--output", type=Path, required=True, metavar="DIR", help="a new folder")


def _add_requests(to: argparse.ArgumentParser) -> None:
    _add_interpreter(to)
    to.add_argument("--repeats", type=int, default=1, help="attempts a request, 1 to 3")
    to.add_argument("--output", type=Path, metavar="FILE", help="a new file for the report")
    to.add_argument("--ledger", type=Path, metavar="FILE", help=LEDGER)
    to.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object instead, the attempts left out: they are in the report",
    )


def _add_export(to: argparse.ArgumentParser) -> None:
    to.add_argument("report", type=Path)
    to.add_argument("file", type=Path, help="a new file: .xml, .csv, .eval or .json")
    to.add_argument("--candidate", metavar="NAME", help="only this candidate's, of requests")
    to.add_argument("--format", choices=FORMATS, help="where the file's name does not say it")


def _add_compare(to: argparse.ArgumentParser) -> None:
    to.add_argument("first", type=Path)
    to.add_argument("second", type=Path)
    to.add_argument(
        "--candidates",
        nargs=2,
        metavar=("FIRST", "SECOND"),
        help="of requests: which candidate of each report, where there are several",
    )
    to.add_argument("--html", type=Path, metavar="OUT", help="a new file: the page")


def _add_effort(to: argparse.ArgumentParser) -> None:
    to.add_argument("action", choices=("record", "show"))
    to.add_argument("file", type=Path, help="where the records are kept, one JSON line each")
    to.add_argument("--way", choices=WAYS, default="form", help="who proposes: nobody, rule, model")
    to.add_argument("--person", default="somebody", help="a name, or a letter standing for one")
    _add_interpreter(to)


def _add_interpreter(to: argparse.ArgumentParser) -> None:
    which = to.add_mutually_exclusive_group()
    which.add_argument("--live", action="store_true", help="the model in the box too")
    _add_address(to, which)
    to.add_argument("--no-preflight", action="store_true", help="ask the server nothing beforehand")
    to.add_argument("--timeout", type=float, default=15.0, help="seconds a reply may take, to 60")
    to.add_argument("--cases", type=Path, metavar="FILE", help="your own requests, TOML or JSON")
    to.add_argument("--case", metavar="NAME", help="only the request of this name")


def _add_candidate(to: argparse.ArgumentParser) -> None:
    which = to.add_mutually_exclusive_group()
    which.add_argument("--live", action="store_true", help="the model in the box")
    which.add_argument("--guided", action="store_true", help="a fixture that obeys its skill")
    _add_server(to, which)
    to.add_argument("--no-preflight", action="store_true", help="ask the server nothing beforehand")


def _add_server(to: argparse.ArgumentParser, which: Any = None) -> None:
    _add_address(to, which or to)
    to.add_argument(
        "--constrained",
        action="store_true",
        help="hold each reply to a JSON schema, for a model that cannot call tools",
    )


def _add_address(to: argparse.ArgumentParser, which: Any) -> None:
    which.add_argument(
        "--url", help=f"an OpenAI-compatible server; its key is read from {KEY_VARIABLE}"
    )
    to.add_argument("--model", default="", help="the model's name at that server")
    to.add_argument(
        "--reasoning-effort",
        metavar="WORD",
        help="sent as it is, 'none' unless told otherwise; 'omit' sends nothing",
    )
    to.add_argument("--system-proxies", action="store_true", help="go through the system's proxies")
