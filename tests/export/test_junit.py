"""JUnit XML has the shape that pytest writes, and every attempt counts in it."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import xmlschema

from lab.evidence import Report
from lab.export.attempts import only
from lab.export.junit import junit
from tests.export.reports import HOSTILE, every_ending, passing, poisoned, requests_of_all_sorts

XSD = xmlschema.XMLSchema(Path(__file__).parent / "xunit2.xsd")

TESTS = """
import pytest

def test_ok(record_property):
    record_property("a", "b")

def test_bad(record_testsuite_property):
    record_testsuite_property("x", "y")
    print("said")
    assert 0

@pytest.fixture
def broken():
    raise ValueError

def test_broken(broken):
    pass

def test_skipped():
    pytest.skip("no")
"""


@pytest.fixture(scope="module")
def of_pytest(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("junit")
    (folder / "test_a.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", "."]
    command += ["-o", "junit_family=xunit2", "-o", "junit_logging=all", "--junitxml", "out.xml"]
    subprocess.run([*command, "test_a.py"], cwd=folder, capture_output=True, check=False)
    return (folder / "out.xml").read_text("utf-8")


def test_the_schema_is_that_of_pytest(of_pytest: str) -> None:
    XSD.validate(of_pytest)
    assert ET.fromstring(of_pytest)[0].get("tests") == "4"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("</testcase>", "<properties/></testcase>"),
        ("</testcase>", "<rerun/></testcase>"),
        ('classname="test_a"', 'classname="test_a" file="x"'),
        ('classname="test_a"', ""),
        ('hostname="', 'package="x" hostname="'),
        ('tests="4"', 'tests="-1"'),
        ('tests="4"', 'tests="many"'),
        ("<failure message=", "<failure type='x' message="),
        ("</testsuite>", "<system-out/></testsuite>"),
        ('<property name="x"', '<property id="x"'),
    ],
)
def test_the_schema_is_strict(of_pytest: str, old: str, new: str) -> None:
    assert old in of_pytest
    with pytest.raises(xmlschema.XMLSchemaValidationError):
        XSD.validate(of_pytest.replace(old, new, 1))


def read(report: Report, digest: str = "d") -> ET.Element:
    text = junit(report, digest)
    XSD.validate(text)
    return ET.fromstring(text)


def told(of: ET.Element) -> dict[str, list[str | None]]:
    found: dict[str, list[str | None]] = {}
    for each in of.findall("properties/property"):
        found.setdefault(str(each.get("name")), []).append(each.get("value"))
    return found


def results(suite: ET.Element) -> dict[str | None, tuple[str, str | None] | None]:
    """Each testcase's failure or error with its message; None for one that passed."""
    found: dict[str | None, tuple[str, str | None] | None] = {}
    for case in suite.findall("testcase"):
        tags = [(n.tag, n.get("message")) for n in case if n.tag in ("failure", "error", "skipped")]
        assert len(tags) <= 1
        found[case.get("name")] = tags[0] if tags else None
    return found


def test_every_ending_is_seen_and_counted() -> None:
    whole = read(every_ending())
    (suite,) = whole
    counted = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counted == {"tests": "6", "failures": "2", "errors": "3", "skipped": "0"}
    assert results(suite) == {
        "right[1]": None,
        "fluent[1]": ("failure", "quantities, grounded did not pass"),
        "crashed[1]": (
            "error",
            "it ended CANDIDATE_ERROR; completed, quantities, grounded did not pass",
        ),
        "down[1]": ("error", "it ended MODEL_FAILED; completed, quantities, grounded did not pass"),
        "looking[1]": ("failure", "it ended MODEL_CALL_LIMIT; completed, quantities did not pass"),
        "never[1]": (
            "error",
            "it ended NOT_RUN; completed, quantities, grounded, allowed_operations, no_tool_errors,"
            " currency_labels, no_purchases, baseline_matches_authored_answer did not pass",
        ),
    }


def test_a_failure_says_what_was_expected_and_what_came_of_it() -> None:
    (suite,) = read(every_ending())
    failures = {case.get("name"): case for case in suite.findall("testcase")}
    assert (failures["crashed[1]"].findtext("error") or "").splitlines() == [
        "case: crashed",
        "split: development",
        "repetition: 1",
        "ended: CANDIDATE_ERROR",
        "error: RuntimeError: boom",
        "did not pass: completed",
        "  quantities",
        "  grounded",
        'expected: [["V",6]]',
        "observed: null",
    ]
    assert failures["fluent[1]"].findtext("system-out") == "All is well. Buy nothing."
    assert failures["crashed[1]"].find("system-out") is None


def test_what_nobody_knows_is_left_out() -> None:
    (suite,) = read(every_ending())
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    assert "time" not in cases["never[1]"].attrib
    assert "time" not in cases["crashed[1]"].attrib or float(cases["crashed[1]"].attrib["time"]) > 0
    never_run = every_ending()
    for row in never_run["cases"]:
        row["started"], row["seconds"] = None, None
    (suite,) = read(never_run)
    assert {"time", "timestamp"} & set(suite.attrib) == set()


def test_the_verdict_stands_with_it() -> None:
    (suite,) = read(passing(2), digest="ab12")
    properties = told(suite)
    assert properties["acceptance_status"] == ["REVIEW_REQUIRED"]
    assert properties["ungraded"] == [
        "explanation amounts",
        "unsupported claims",
        "business usefulness",
    ]
    assert properties["report_sha256"] == ["ab12"]
    assert properties["distinct_cases"] == ["1"]
    assert (properties["passed"], properties["attempts"]) == (["2"], ["2"])
    assert told(read(every_ending())[0])["acceptance_status"] == ["REJECTED"]
    first, second = suite.findall("testcase")
    assert told(first) == {
        "split": ["held-out"],
        "repetition": ["1"],
        "loop_status": ["COMPLETED"],
        "held_out": ["unknown: no ledger was kept, so nobody knows who has seen it"],
    }
    assert (second.get("classname"), second.get("name")) == (
        "offline fixture, no skill",
        "opening[2]",
    )


def test_an_attempt_that_passed_every_check_and_did_not_end_is_a_failure() -> None:
    report = passing()
    report["cases"][0]["loop_status"] = "TOKEN_LIMIT"
    (suite,) = read(report)
    assert results(suite) == {"opening[1]": ("failure", "it ended TOKEN_LIMIT")}
    assert told(suite)["passed"] == ["0"]


def test_a_check_that_broke_is_an_error() -> None:
    report = passing()
    report["cases"][0]["check_errors"] = {"grounded": "KeyError: 'x'"}
    report["cases"][0]["checks"]["grounded"] = False
    (suite,) = read(report)
    assert results(suite) == {
        "opening[1]": ("error", "grounded did not pass; grounded could not judge")
    }
    assert "check grounded broke: KeyError: 'x'" in str(suite.findtext("testcase/error"))


def test_requests_have_a_suite_a_candidate() -> None:
    whole = read(requests_of_all_sorts())
    assert [(s.get("name"), s.get("tests"), s.get("failures"), s.get("errors")) for s in whole] == [
        ("stock of vanilla", "2", "1", "0"),
        ("unlucky", "2", "1", "1"),
    ]
    assert results(whole[0]) == {
        "stock[1]": None,
        "draft[1]": ("failure", "wrong decision; exact_decision, expected_events did not pass"),
    }
    assert results(whole[1]) == {
        "stock[1]": ("error", "transport; exact_decision, expected_events did not pass"),
        "draft[1]": ("failure", "schema; exact_decision, expected_events did not pass"),
    }
    assert "acceptance_status" not in told(whole[0])
    assert told(whole[0])["caveats"][0] == (
        "This compares candidates; it accepts none. A person reads the attempts and decides."
    )
    assert whole[1].findtext("testcase[2]/system-out") == "{"
    assert [s.get("name") for s in read(only(requests_of_all_sorts(), "unlucky"))] == ["unlucky"]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
@pytest.mark.parametrize("make", [every_ending, requests_of_all_sorts])
def test_no_words_break_it(make: object, text: str) -> None:
    assert callable(make)
    whole = read(poisoned(make(), text))
    assert sum(len(suite.findall("testcase")) for suite in whole) == (
        6 if make is every_ending else 4
    )
    assert all(suite.get("skipped") == "0" for suite in whole)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x00\x1b[31m\x7f\x9b", r"\x00\x1b[31m\x7f\x9b"),
        ("half \ud800", r"half \ud800"),
        ("\ufffe", r"\ufffe"),
        ("a\r\nb\rc\n\td", "a\\x0d\nb\\x0dc\n\td"),
        ("]]> & < \U0001f366", "]]> & < \U0001f366"),
    ],
)
def test_what_xml_cannot_hold_is_made_visible(text: str, seen: str) -> None:
    report = passing()
    report["cases"][0]["answer"] = text
    (suite,) = read(report)
    assert suite.findtext("testcase/system-out") == seen


def test_a_huge_answer_is_whole_and_a_huge_error_is_cut_where_it_is_repeated() -> None:
    report = every_ending()
    report["cases"][1]["answer"] = "long " * 100_000
    report["cases"][1]["error"] = "long " * 100_000
    (suite,) = read(report)
    fluent = suite.findall("testcase")[1]
    assert fluent.findtext("system-out") == "long " * 100_000
    assert len(str(fluent.findtext("failure"))) < 5_000
