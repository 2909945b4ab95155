"""Which model to evaluate: a fixture, the model in the box, or any server by its address."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from lab.errors import UnavailableError
from lab.shop import local
from lab.shop.constrained import ConstrainedModel
from lab.shop.http import HTTPModel
from lab.shop.preflight import preflight

KEY_VARIABLE = "LAB_API_KEY"


@dataclass(frozen=True)
class Server:
    """A model behind an address; calling it makes the model of one attempt.

    `constrained` has each reply held to a JSON schema, for a model that cannot call tools. `served`
    is what is known of a server that the lab started itself, `seen` what a preflight
    found.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    reasoning_effort: str | None = "none"
    use_system_proxies: bool = False
    constrained: bool = False
    served: Mapping[str, Any] = field(default_factory=dict)
    seen: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self) -> HTTPModel | ConstrainedModel:
        model = HTTPModel(
            self.base_url,
            self.model,
            api_key=self.api_key,
            reasoning_effort=self.reasoning_effort,
            use_system_proxies=self.use_system_proxies,
            environment={**self.served, **self.seen},
        )
        return ConstrainedModel(model) if self.constrained else model

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What a journal must find unchanged; a box is known by what it serves, not by its port."""
        return {
            "model": self.model,
            "reasoning_effort": self.reasoning_effort,
            "constrained": self.constrained,
            "server": dict(self.served) or self.base_url,
        }

    def checked(self, tell: Callable[[str], None]) -> "Server":
        """Return the server with what a preflight found; UnavailableError where it is no use."""
        found = preflight(self())
        for sentence in found.sentences():
            tell(sentence)
        if found.error is not None:
            raise UnavailableError(
                f"{self.base_url}: {found.error}; is it running, is the name right?"
            )
        return replace(self, seen={"preflight": {**asdict(found), "sees_tools": found.sees_tools}})


def api_key() -> str | None:
    """Return the key from the environment; it is read from nowhere else."""
    return os.environ.get(KEY_VARIABLE) or None


@contextlib.contextmanager
def box() -> Iterator[Server]:
    """Serve the model in the box while the context lasts."""
    path = local.installed()
    if path is None:
        raise UnavailableError("the model in the box is not here yet; run `lab model install`")
    with local.serve(path) as served:
        yield Server(served.base_url, served.model, served=served.environment)
