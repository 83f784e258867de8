"""Commands out of typed requests: the options of a command are the fields of a dataclass, and stand nowhere else."""

import dataclasses
import inspect
import typing
from collections.abc import Callable

from typer.models import ArgumentInfo


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


def words_of(request: typing.Any) -> list[str]:
    """The words with which a person would ask for it: arguments, then options that are not as they are by themselves."""
    hints = typing.get_type_hints(type(request), include_extras=True)
    arguments, options = [], []
    for field in dataclasses.fields(request):
        value, [told] = getattr(request, field.name), hints[field.name].__metadata__
        if isinstance(told, ArgumentInfo):
            arguments.append(str(value))
        elif value != _default(field):
            options += _option(told.default, value)  # in an annotation typer takes the first name for it
    return [*arguments, *options]


def _option(name: str, value: typing.Any) -> list[str]:
    if isinstance(value, bool):
        return [name.split("/")[not value]]
    values = value if isinstance(value, list) else [value]
    return [word for one in values for word in (name, str(one))]


def _default(field: dataclasses.Field) -> typing.Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
