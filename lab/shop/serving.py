"""The server of the model in the box: a program of its own, run by `lab.shop.local.serve`.

In the caller's process it could freeze it: xllamacpp, told to stop while a reply is being written,
never returns and lets no other thread run, so that not even Ctrl-C is heard. A process can always
be ended. It imports nothing of the lab, takes its settings as one JSON argument, prints one JSON
line (`address` and `server`, or `error`) and lasts until its standard input is closed.
"""

import json
import os
import signal
import sys
from importlib.metadata import version
from typing import Any


def start(settings: dict[str, Any]) -> Any:
    """Return a running server; RuntimeError where it cannot run, ImportError without xllamacpp."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = settings["path"]
    parameters.model_alias = {settings["model"]}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = settings["port"]
    parameters.n_ctx = settings["context_tokens"]
    parameters.n_parallel = settings["slots"]
    parameters.cpuparams.n_threads = settings["threads"]
    parameters.verbosity = 0
    if settings["template"] is not None:
        parameters.chat_template = settings["template"]
    return xllamacpp.Server(parameters)


def main() -> None:
    """Serve until the caller closes our standard input, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the caller's, who then ends us
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answer:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever else is printed is not our answer
        try:
            server = start(json.loads(sys.argv[1]))
            told = {"address": server.listening_address, "server": version("xllamacpp")}
        except (ImportError, RuntimeError) as error:
            told = {"error": str(error).rstrip(".")}
        answer.write(json.dumps(told) + "\n")
    if "address" in told:
        sys.stdin.read()
    os._exit(0)  # without stopping the server, which may never return


if __name__ == "__main__":
    main()
