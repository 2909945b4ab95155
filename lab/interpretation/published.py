"""Figures published for a larger model: to stand beside a run of ours, never in its place."""

from typing import Any

PUBLISHED: dict[str, Any] = {
    "model": "qwen3, 8.2B parameters, Q4_K_M",
    "date": "2026-09-09",
    "repeats": 2,
    "candidates": {
        "minimal": {
            "passed": 10,
            "attempts": 28,
            "by_split": {"development": (2, 12), "public_transfer": (8, 16)},
            "errors": 12,
            "unrequested_drafts": 4,
            "seconds": {"median": 0.836, "max": 0.911},
            "output_tokens": 402,
        },
        "contrast": {
            "passed": 10,
            "attempts": 28,
            "by_split": {"development": (2, 12), "public_transfer": (8, 16)},
            "errors": 12,
            "unrequested_drafts": 4,
            "seconds": {"median": 0.948, "max": 5.918},
            "output_tokens": 398,
        },
        "keywords": {
            "passed": 26,
            "attempts": 28,
            "by_split": {"development": (12, 12), "public_transfer": (14, 16)},
            "errors": 0,
            "unrequested_drafts": 0,
            "seconds": {"median": 0.000042, "max": 0.000118},
            "output_tokens": 0,
        },
    },
    "said": (
        "Of each instruction's eighteen failures twelve were schema errors (the action came back"
        " with its description attached) and six were well formed and wrong. Other wordings of the"
        " requests and of the instructions than this lab's, another machine: the figures are not"
        " to be compared with a run here case by case. No rows of it are kept here, so its"
        " intervals cannot take repeats into account."
    ),
}
"""By candidate; by split (passed, attempts). The attempts themselves are not here."""
