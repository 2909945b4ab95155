"""A report as a log of Inspect AI, version 2 of its format, which its viewer and readers take."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab import plain, rates
from lab.counts import by_case
from lab.errors import InputError
from lab.evidence import Report, report_digest, save_new
from lab.export.attempts import about, by_candidate, has_no_result, has_passed, is_requests
from lab.export.inspect_messages import prompts
from lab.export.inspect_sample import OVERALL, sample, sample_id, score_name, summary, tokens
from lab.export.text import for_utf8, moment
from lab.grading import Row

VERSION = 2
UNRUN = ("NOT_RUN", "not run")
SETTLED = ("counts", "totals", "baseline_totals", "settings", "criteria", "provenance")
Log = dict[str, Any]


def inspect_log(report: Report, path: str | Path, digest: str | None = None) -> None:
    """Write a report's log to a new file: `.eval`, a zip with a file a sample, or `.json`.

    Every attempt is a sample, a repetition an epoch, each check a score beside `passed`; all rates
    are of all attempts. `inspect view` lists a `.json` only where its name begins with a time.

    Raises InputError for an experiment with several candidates (a log has one), a report without a
    time, another ending, and a file that is there already.
    """
    path = Path(path)
    writers = {".eval": as_eval, ".json": as_json}
    if path.suffix.lower() not in writers:
        raise InputError(f"{path}: a log of Inspect ends in .eval or .json")
    save_new(path, [writers[path.suffix.lower()](report, digest or report_digest(report))])


def as_json(report: Report, digest: str) -> bytes:
    """Return the bytes of a log in one JSON file."""
    return plain.dumps(whole_log(report, digest)).encode()


def as_eval(report: Report, digest: str) -> bytes:
    """Return the bytes of a log as a zip: a header, summaries, and each sample on its own."""
    log = whole_log(report, digest)
    samples = log.pop("samples")
    files = {
        "_journal/start.json": {name: log[name] for name in ("version", "eval", "plan")},
        **{f"samples/{each['id']}_epoch_{each['epoch']}.json": each for each in samples},
        "summaries.json": [summary(each) for each in samples],
        "header.json": log,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in files.items():
            # With no time of its own, so that the same report gives the same bytes.
            file.writestr(zipfile.ZipInfo(name), plain.dumps(content), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def whole_log(report: Report, digest: str) -> Log:
    """Return a log as plain data, in which every text can be encoded."""
    if len(by_candidate(report)) != 1:
        names = ", ".join(map(plain.show, by_candidate(report)))
        raise InputError(f"a log of Inspect has one candidate; name it, --candidate: {names}")
    [(candidate, rows)] = by_candidate(report).items()
    model, asked = _model(candidate, rows), prompts(rows)
    unrun = any(row.get("loop_status", row.get("mechanism")) in UNRUN for row in rows)
    log = {
        "version": VERSION,
        "status": "cancelled" if unrun else "success",
        "eval": _spec(report, digest, candidate, model),
        "plan": {"name": "plan", "steps": [_solver(report, candidate)]},
        "results": _results(rows),
        "stats": _stats(report, rows, model),
        "samples": [sample(row, report, model, asked) for row in rows],
    }
    return dict(_encodable(log))


def _model(candidate: str, rows: list[Row]) -> str:
    """Return the name under which a log has what was tried: of an evaluation, its model's."""
    if "candidate" in rows[0]:
        return candidate
    names = (row["model"]["name"] or row["model"]["adapter"] for row in rows)
    return str(next((name for name in names if name), "no model"))


def _spec(report: Report, digest: str, candidate: str, model: str) -> Log:
    kept = {name: report[name] for name in SETTLED if report.get(name) is not None}
    named = plain.digest([digest, for_utf8(candidate)])
    verdict = report.get("acceptance")
    return {
        "eval_id": named[:22],
        "run_id": named[22:44],
        "created": _created(report),
        "task": f"lab_{'requests' if is_requests(report) else 'evaluation'}",
        "task_id": named[42:],
        "task_version": report["schema"],
        "task_display_name": candidate,
        "dataset": _dataset(report),
        "model": model,
        "config": {"epochs": report["settings"]["repeats"], "fail_on_error": False},
        "packages": {"agent-evaluation-lab": str(report["provenance"].get("lab_version"))},
        "metadata": {**about(report, digest), **kept, "candidate": _candidate(report, candidate)},
        **({"tags": [verdict["status"]]} if verdict else {}),
    }


def _created(report: Report) -> str:
    at = moment(report["provenance"].get("created"))
    if at is None:
        told = plain.show(report["provenance"].get("created"))
        raise InputError(f"provenance.created: {told} is no time, and a log of Inspect needs one")
    return at.isoformat()


def _dataset(report: Report) -> Log:
    ids = list(dict.fromkeys(sample_id(row["case"]) for row in report["cases"]))
    return {"name": "cases", "samples": len(ids), "sample_ids": ids, "shuffled": False}


def _candidate(report: Report, candidate: str) -> Any:
    return report["candidates"][candidate] if is_requests(report) else report["candidate"]


def _solver(report: Report, candidate: str) -> Log:
    if is_requests(report):
        return {"solver": "lab interpretation", "params": {"candidate": candidate}}
    return {"solver": "lab agent", "params": {"skills": report["skills"]}}


def _results(rows: list[Row]) -> Log:
    checks = dict.fromkeys(name for row in rows for name in row["checks"])
    return {
        "total_samples": len(rows),
        "completed_samples": sum(not has_no_result(row) for row in rows),
        "scores": [
            _rate(OVERALL, rows, has_passed),
            *(_rate_of_check(name, rows) for name in checks),
        ],
    }


def _rate_of_check(name: str, rows: list[Row]) -> Log:
    judged = [row for row in rows if name in row["checks"]]
    return _rate(score_name(name), judged, lambda row: bool(row["checks"][name]))


def _rate(name: str, rows: list[Row], held: Callable[[Row], bool]) -> Log:
    """Return a score's metrics: of all attempts, with the ends of the 95 % interval beside."""
    found = rates.rate(by_case(rows, held))
    values = {
        "accuracy": found["passed"] / found["attempts"],
        "passed": found["passed"],
        "attempts": found["attempts"],
        "low": found["low"],
        "high": found["high"],
    }
    return {
        "name": name,
        "scorer": name,
        "scored_samples": found["attempts"],
        "unscored_samples": 0,
        "metrics": {each: {"name": each, "value": value} for each, value in values.items()},
        "metadata": {"low and high": rates.MEANING},
    }


def _stats(report: Report, rows: list[Row], model: str) -> Log:
    begun = [at for row in rows if (at := moment(row["started"]))]
    used = [tokens(row) for row in rows]
    known = [each for each in used if each is not None]
    names = known[0] if known else {}
    shared = [name for name in names if all(name in each for each in known)]
    total = {name: sum(each[name] for each in known) for name in shared}
    return {
        **({"started_at": min(begun).isoformat()} if begun else {}),
        "completed_at": _created(report),
        # A sum of those that are known would be taken for what the run used.
        **({"model_usage": {model: total}} if len(known) == len(used) else {}),
    }


def _encodable(value: Any) -> Any:
    if isinstance(value, dict):
        return {for_utf8(str(name)): _encodable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_encodable(each) for each in value]
    return for_utf8(value) if isinstance(value, str) else value
