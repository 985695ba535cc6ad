"""What can be wrong with a log, in sentences for people."""


class LogError(Exception):
    """The log cannot be used as asked; the message is one sentence that says what is wrong and what to do."""


class LogBusy(LogError):
    """Another process holds the log; `holder` says which, where it is known."""

    def __init__(self, message: str, holder: str) -> None:
        super().__init__(message)
        self.holder = holder
