"""The model in the box, where it is installed; what was recorded of it, where it is not."""

import os
from contextlib import closing

from lab import candidates
from lab.evidence import Report
from lab.interpretation import Instructed, run_requests
from lab.interpretation.candidates import MINIMAL
from lab.recorded import recorded
from lab.shop import local

SWITCH = "LAB_LIVE"


def constrained_requests() -> tuple[Report, str]:
    """Return the requests as the constrained model reads them, and where that comes from."""
    if os.environ.get(SWITCH) == "off":
        return recorded("requests"), f"Switched off by {SWITCH}=off: these are the recorded rows."
    if local.installed() is None:
        told = "The model in the box is not installed (`lab model install`): recorded rows."
        return recorded("requests"), told
    with candidates.box() as server, closing(server()) as model:
        report = run_requests({"constrained": Instructed(model, MINIMAL, constrained=True)})
    return report, "The model in the box has just read them, once each."
