"""Probe, run, explain, predict, check, report: six steps, each kept as soon as it is done."""

from pathlib import Path

from hakaru.base import topology
from hakaru.facts.forecasts import Score
from hakaru.facts.records import RecordStore
from hakaru.main_job.plans import MainPlan
from hakaru.main_job.probing import probe_machine
from hakaru.main_job.session import campaign_of, session_name
from hakaru.own.setup.build import build_more, would_build
from hakaru.own.setup.targets import REPLAY
from hakaru.run.campaign.plan import Plan, points_of
from hakaru.run.campaign.progress import Progress, progress_for_terminal
from hakaru.run.campaign.runner import DryLaunch, Outcome, dry_run, require_complete, run_plan
from hakaru.run.campaign.turns import alone
from hakaru.run.doctor.checks import host_name
from hakaru.run.doctor.system import System

STEPS = 5


def main_job(store: RecordStore, plan: MainPlan, fresh: bool, report: Path, as_json: bool) -> None:
    """The whole job; prints the ten-line summary. An interrupted job goes on where it was; a second one in the same folder waits."""
    store.prepare()
    progress = progress_for_terminal()
    with alone(store, "the main job", progress.say):
        _steps(store, plan, session_name(store, fresh), report, as_json, progress)


def _steps(
    store: RecordStore, plan: MainPlan, session: str, report: Path, as_json: bool, progress: Progress
) -> None:
    progress.say(
        f"hakaru measures {topology.here().words()}; results in {store.folder}; Ctrl-C keeps what is finished"
    )
    name = host_name.check(System())
    if name.status == "warning":
        progress.say(f"{name.found}; {name.what_to_do}")
    probes, programs, prediction = plan.probes, plan.programs, plan.prediction

    progress.say(f"1 of {STEPS}: probing the machine")
    probe_first(store, probes, campaign_of(session, probes), progress)
    probe_machine(store, probes, campaign=campaign_of(session, probes), progress=progress)
    build_more([*programs_of(programs, prediction), *REPLAY])  # the report asks what other facts would do
    progress.say(f"2 of {STEPS}: running real programs, verifying each result")
    ran = run_plan(programs, store, campaign_of(session, programs), progress)
    require_complete(ran)
    progress.say(f"3 of {STEPS}: predicting larger problems that were not run yet")
    predict_missing(prediction, store, campaign_of(session, prediction), progress)
    progress.say(f"4 of {STEPS}: making those runs")
    checked = run_plan(prediction, store, campaign_of(session, prediction), progress)
    score(store)
    progress.say(f"5 of {STEPS}: writing the report")
    finish(store, report, [ran, checked], as_json)
    require_complete(checked)


def programs_of(*plans: Plan) -> list[str]:
    return [run.program for plan in plans for run in plan.runs]


def probe_first(store: RecordStore, probes: Plan, campaign: str, progress: Progress) -> None:
    """Where probes are still to be built: runs the first before the others are built. Nothing is built while one measures."""
    if not would_build(programs_of(probes)):
        return
    first = probes.model_copy(update={"runs": probes.runs[:1]})
    build_more(programs_of(first))
    require_complete(run_plan(first, store, campaign, progress))
    build_more(programs_of(probes))


def predict_missing(plan: Plan, store: RecordStore, campaign: str, progress: Progress) -> None:
    """Forecasts every point of the plan that has neither been run in this campaign nor been predicted in it before its run."""
    from hakaru.foretell.forecast import ForecastStore, predict

    forecasts = ForecastStore(store.folder)
    started = {record.point for record in store.all(campaign=campaign)}
    for point in points_of(plan):
        if point.key in started:
            continue
        made = predict(
            store.folder, point.program, dict(point.parameters), point.layout.ranks, point.layout.threads
        )
        if made.refused:
            progress.say(f"{point.label}: not predicted ({made.extrapolation.reason})")
            continue
        forecasts.write(made)
        progress.say(f"{point.label}: {made.sentence} (95 % intervals)")


def score(store: RecordStore) -> list[Score]:
    """Scores the forecasts that runs have met."""
    from hakaru.foretell.forecast import ForecastStore, score_all

    return score_all(ForecastStore(store.folder), store.all())


def finish(store: RecordStore, report: Path, outcomes: list[Outcome], as_json: bool) -> None:
    """Report and summary."""
    from hakaru.base.output import print_json
    from hakaru.tell.explain import explain
    from hakaru.tell.explain.summary import summary_lines
    from hakaru.tell.report import write_report
    from hakaru.tell.report.load import load_results
    from hakaru.tell.report.precomputed import precompute

    found = load_results(store.folder)
    shown = _conditions(outcomes) | (
        {"left out as damaged": "; ".join(found.damaged)} if found.damaged else {}
    )
    path = write_report(report, found.records, found.machine, found.forecasts, shown, precompute(found))
    explanation = explain(found.records, found.machine, found.forecasts)
    lines = summary_lines(explanation, found.machine)
    if as_json:
        print_json(
            {
                "summary": lines,
                "report": str(path.resolve()),
                "results": str(store.folder.resolve()),
                "complete": all(outcome.complete for outcome in outcomes),
                "explanation": explanation.as_dict(),
            }
        )
        return
    for line in lines:
        print(line)
    print(f"Report: {path.resolve()}")


def _conditions(outcomes: list[Outcome]) -> dict[str, str]:
    """What made the measurements uncertain, counted by kind, with the first of each."""
    notes = [note for outcome in outcomes for note in outcome.notes]
    kinds = {
        "noisy runs": "noisy",
        "runs disturbed by the hypervisor": "hypervisor",
        "oversubscribed runs": "oversubscribed",
    }
    found = {title: [note for note in notes if word in note] for title, word in kinds.items()}
    return {title: f"{len(same)}, such as {same[0]}" for title, same in found.items() if same}


def dry_run_of(store: RecordStore, plan: MainPlan) -> list[DryLaunch]:
    """Every launch of the main job; starts nothing."""
    return [row for part in (plan.probes, plan.programs, plan.prediction) for row in dry_run(part, store)]
