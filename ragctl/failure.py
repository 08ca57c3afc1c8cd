"""How a command fails: one sentence, the next thing to type, an exit code. It prints nothing."""

from ragd.errors import EXIT_FAILED, EXIT_NOT_RUNNING, EXIT_TIMEOUT, EXIT_USAGE


class Failure(Exception):
    """A command cannot do what it was asked for."""

    exit_code = EXIT_FAILED

    def __init__(
        self,
        message: str,
        suggestion: str = "",
        exit_code: int | None = None,
        *,
        code: str = "",
    ) -> None:
        self.message = message
        self.suggestion = suggestion
        self.code = code  # one of the codes of ragd.errors, where one fits
        if exit_code is not None:
            self.exit_code = exit_code
        super().__init__(f"{message} {suggestion}".strip())


class UsageError(Failure):
    """What was typed is not a command of ours."""

    exit_code = EXIT_USAGE


class NotRunning(Failure):
    """Nobody answers for this home."""

    exit_code = EXIT_NOT_RUNNING


class TimedOut(Failure):
    """Somebody is there and does not answer, or what was waited for did not come."""

    exit_code = EXIT_TIMEOUT


class Disconnected(Failure):
    """The daemon hung up in the middle of an answer."""


def refused_by_the_system(why: OSError) -> str:
    """What the operating system said, as a sentence."""
    place = f": {why.filename}" if why.filename else ""
    return f"{why.strerror or 'The system refused'}{place}."
