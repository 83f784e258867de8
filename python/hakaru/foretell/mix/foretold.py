"""How long a job of a program takes: its start and its repetitions as they are forecast here, or its repetitions on another machine."""

from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.forecasts import Span
from hakaru.facts.machines import Machine
from hakaru.facts.work import Work
from hakaru.foretell.elsewhere import foretold as elsewhere
from hakaru.foretell.forecast import advice
from hakaru.foretell.forecast.asking import Question
from hakaru.foretell.mix.draws import Times
from hakaru.foretell.mix.kinds import Asked, Foretell, Foretold
from hakaru.foretell.mix.start import Wanted, start


def here(folder: Path) -> Foretell:
    """From the runs of a results folder, by the laws that were fitted to them."""

    def foretell(asked: Asked) -> Foretold:
        question = Question(folder, asked.program, asked.given, asked.ranks, asked.threads, asked.nodes)
        made = question.forecast()
        if made.time_s is None:
            raise UserError(
                f"the time of {asked.name} cannot be foretold from {folder}",
                made.extrapolation.reason,
                advice.next_step(made),
            )
        usual = made.usual_s if isinstance(made.usual_s, Span) else made.time_s
        far = made.extrapolation.flag == "far"
        notes = [f"{asked.name} is far from what ran: {made.extrapolation.reason}"] if far else []
        repeated = Times(usual, made.time_s).scaled(_repetitions(question.found, asked))
        started = start(question.records, _wanted(asked, question.wanted))
        notes += [f"{asked.name}: {started.note}"] if started.note else []
        return Foretold(repeated.plus(started.times), "; ".join(notes))

    return foretell


def _wanted(asked: Asked, work: Work) -> Wanted:
    return Wanted(asked.ranks, asked.threads, asked.nodes, work.memory_bytes)


def there(folder: Path, machine: Machine) -> Foretell:
    """From a replay on another machine; what is not known of it is wrong for all jobs of a kind alike."""

    def foretell(asked: Asked) -> Foretold:
        wanted = elsewhere.Asked(folder, asked.program, asked.given, asked.ranks, asked.threads, asked.nodes)
        time_s = elsewhere.foretell(wanted, machine).time_s
        return Foretold(Times(time_s, time_s).scaled(_repetitions(programs.named(asked.program), asked)))

    return foretell


def _repetitions(program: programs.Program, asked: Asked) -> int:
    """Of what is forecast in one job, warm-ups counted: the whole run of a stranger."""
    if program.brings_launcher:
        return asked.repetitions or 1
    return program.describe().usual.count(asked.repetitions or None, None)
