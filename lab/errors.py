"""One family of errors: each names the thing, the place and the next step."""


class LabError(Exception):
    """Base of everything the lab refuses or cannot do; the message says what to do next."""


class InputError(LabError, ValueError):
    """Something handed to the lab (a case, a file, an option, a report) cannot be used as it is."""


class UnavailableError(LabError):
    """Something the lab needs from outside (a file, a program, a server) is not there."""
