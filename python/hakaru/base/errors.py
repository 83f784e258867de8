"""Errors that people read: what is wrong, why, and what to do about it."""

USAGE = 2
VERIFICATION = 3
ENVIRONMENT = 4


class UserError(Exception):
    """Printed as ``problem (why); what to do``; the command ends with ``exit_code``."""

    def __init__(self, problem: str, why: str = "", what_to_do: str = "", exit_code: int = USAGE):
        self.problem, self.why, self.what_to_do, self.exit_code = problem, why, what_to_do, exit_code
        text = problem
        if why:
            text += f" ({why})"
        if what_to_do:
            text += f"; {what_to_do}"
        super().__init__(text)
