"""Commands out of typed requests: the options of a command are the fields of a dataclass, and stand nowhere else."""

import dataclasses
import inspect
import typing
from collections.abc import Callable


def command(request: type, answer: Callable[[typing.Any], None], told: str) -> Callable[..., None]:
    """A function as typer reads it: a parameter for each field of the dataclass ``request``, whose annotation holds its ``typer.Option``.

    It calls ``answer`` with the request; ``told`` is what ``--help`` says.
    """

    def run(**given: typing.Any) -> None:
        answer(request(**given))

    hints = typing.get_type_hints(request, include_extras=True)
    parameters = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=_default(field), annotation=hints[field.name]
        )
        for field in dataclasses.fields(request)
    ]
    run.__doc__, run.__annotations__ = told, hints
    run.__signature__ = inspect.Signature(parameters)
    return run


def _default(field: dataclasses.Field) -> typing.Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
