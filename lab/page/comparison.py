"""Two reports beside each other, as one page that anybody can open."""

from lab.comparison import Compared, words
from lab.comparison.sides import Side
from lab.page.render import environment
from lab.page.summary import Summary, Table


def comparison_page(compared: Compared) -> str:
    """Return one self-contained HTML page of a comparison; it says what the terminal says.

    Whatever a model or a learner wrote is shown and never obeyed.
    """
    page = environment("lab.page").get_template("comparison.html.jinja")
    return str(page.render(top=_summary(compared)))


def _summary(compared: Compared) -> Summary:
    rows, told = words.configured(compared)
    return Summary(
        title="Two reports beside each other",
        verdict="Observed, and not decided",
        tone="work",
        meaning=[_outcome(compared), words.MEANING],
        ungraded=compared.ungraded,
        warnings=compared.warnings,
        facts=[("first", _side(compared.first)), ("second", _side(compared.second))],
        tables=[
            Table(
                "Case by case",
                ("outcome", "cases", "names"),
                [(cell, str(len(n)), ", ".join(n)) for cell, n in words.outcomes(compared)],
                " ".join(words.paired(compared)),
            ),
            Table(
                "What it took",
                words.SPENT,
                words.spent(compared),
                " ".join([words.COST, *words.seconds(compared)]),
            ),
            Table("What else differs", words.CONFIGURED, rows, told),
        ],
        reach=[],
    )


def _outcome(compared: Compared) -> str:
    told = ", ".join(f"{cell} {len(names)}" for cell, names in words.outcomes(compared))
    return f"Of {compared.cases} cases {told}."


def _side(side: Side) -> list[str]:
    return [
        side.candidate,
        f"attempts passed {words.passed(side)}",
        f"{side.source}, made {side.created}",
        f"sha256 {side.sha256}",
    ]
