"""JSON Schemas of mixes and of what is answered, made from their types; scripts/schemas.py writes them to schema/."""

import json

import msgspec

from hakaru.facts.json_schema import Schema, explained, head, without_nulls
from hakaru.facts.strict import Strict
from hakaru.foretell.mix.answer import MixResult
from hakaru.foretell.mix.file import MixFile

KINDS: dict[str, type[Strict]] = {"mix": MixFile, "mix-result": MixResult}
TITLES = {
    MixFile: "hakaru mix: many jobs, when they come, and the machine that takes them",
    MixResult: "hakaru mix --json: what a mix of jobs takes, each with its interval",
}
_SPAN = {
    "value": "The middle.",
    "low": "The lower end of the interval.",
    "high": "The upper end of the interval.",
}
MEANINGS: dict[str, dict[str, str]] = {
    "Span": _SPAN,
    "Ratio": _SPAN,
    "MixFile": {
        "name": "Name of the mix.",
        "schema": "The version of this format.",
        "nodes": "Number of nodes; 0 for what the log says.",
        "cores": "Cores of a node; 0 for what the machine says, or this host.",
        "machine": "A machine whose facts are used and on which programs are foretold: a name, a file, or here.",
        "policy": "How the batch system chooses: first come first served, EASY or conservative backfill.",
        "depth": "How many of the queue have a reservation under conservative backfill.",
        "shared": "Whether jobs share nodes.",
        "limits": "Whether jobs are ended at their limit or exceed it.",
        "overhead_s": "What the batch system adds to each job in seconds, with an interval or without.",
        "power": "What a node takes.",
        "arrival": "When jobs come; all at once without it.",
        "jobs": "The jobs; none where a log is replayed as it was.",
        "pairs": "How jobs that share a node slow each other.",
        "draws": "How often all run times and arrivals are drawn; 0 for 200 times, fewer for large mixes.",
        "seed": "The same seed gives the same draws.",
    },
    "Arrival": {
        "per_hour": "So many jobs come in an hour at random, as a Poisson process.",
        "every_s": "One job comes every so many seconds.",
        "log": "A log in the Standard Workload Format, plain or gzip, by its name beside the mix.",
        "order": "Whether jobs come as written or in an order that each draw shuffles.",
    },
    "JobsOf": {
        "program": "Name of a program, whose time is foretold.",
        "name": "What these jobs are called in pairs and tables.",
        "parameters": "Values of the program's parameters, or lists of values that are crossed.",
        "layouts": "Ranks x threads, each a kind of jobs.",
        "instead": "The other layout that a what-if tries in place of all of these.",
        "usual_s": "What such a job usually takes in seconds, with an interval or without, where no program is named.",
        "time_s": "What any one of these jobs takes in seconds; as usual_s when it is left out.",
        "nodes": "Nodes of a job; 0 for as few as hold the layout.",
        "cores": "Cores of each of its nodes; 0 for all of them, or what the layout says.",
        "count": "How many of each size and layout.",
        "repetitions": "Repetitions of the program in a job; 0 for as many as it makes untold.",
        "limit_s": "Time limit of a job in seconds; 0 for what hakaru would ask the batch system for.",
    },
    "Pair": {
        "job": "Name of the jobs that are slowed.",
        "beside": "Name of the jobs that slow them.",
        "slower": "How many times as long they take beside one of those on a node.",
    },
    "Power": {
        "busy_w": "What a node takes that has a job, in watts.",
        "idle_w": "What a node takes that has none, in watts.",
    },
    "MixResult": {
        "schema": "The version of this format.",
        "name": "Name of the mix.",
        "nodes": "Number of nodes.",
        "cores": "Cores of a node.",
        "policy": "How the batch system chooses.",
        "shared": "Whether jobs share nodes.",
        "jobs": "Number of jobs.",
        "draws": "How often all run times and arrivals were drawn.",
        "seed": "The same seed gives the same draws.",
        "shown_draw": "Number of the draw whose makespan is the middle one, which charts show.",
        "confidence": "Share of draws that lie in an interval.",
        "figures": "What the mix takes.",
        "power_source": "Who says what a node takes; null where nobody does.",
        "kinds": "Each kind of jobs.",
        "what_if": "What it would be otherwise.",
        "notes": "What should be known of the answer.",
        "orders": "The mix as it is and all what-ifs in the order of what they take.",
    },
    "Order": {
        "by": "What they are ranked by.",
        "places": "What takes least first; empty where nobody can say what they take.",
        "unavailable": "Why nobody can say it.",
    },
    "Place": {
        "name": "Name of the what-if, or as it is.",
        "times": "What it takes, times what the first takes.",
        "sure": "Whether it surely takes more than the first.",
    },
    "Figures": {
        "makespan_s": "From the first arrival to the last end in seconds.",
        "jobs_per_hour": "Number of jobs over the makespan.",
        "utilisation": "Share of the nodes over the makespan that jobs had.",
        "mean_wait_s": "Mean time between arrival and start in seconds.",
        "wait_95_s": "What 95 of 100 jobs wait at most, in seconds.",
        "longest_wait_s": "The longest wait in seconds.",
        "bounded_slowdown": "Mean of (wait + run) / run, where runs below 10 s count as 10 s, and at least 1.",
        "ended_at_limit": "How many jobs were ended at their limit.",
        "node_hours": "Nodes times hours that jobs had.",
        "energy_j": "Energy of all nodes over the makespan in J; null where nobody says their power.",
    },
    "KindOfJobs": {
        "name": "What the jobs are called.",
        "count": "How many there are.",
        "nodes": "Nodes of each.",
        "limit_s": "Time limit of each in seconds.",
        "run_s": "Mean time on its nodes in seconds.",
        "wait_s": "Mean time in the queue in seconds.",
    },
    "WhatIf": {
        "name": "What is otherwise.",
        "nodes": "Number of nodes then.",
        "policy": "How the batch system chooses then.",
        "figures": "What the mix takes then.",
        "makespan": "The makespan then, times what it is.",
        "mean_wait": "The mean wait then, times what it is; null where nobody waits.",
        "energy": "The energy then, times what it is; null where nobody says the power.",
    },
}


def schema_of(name: str) -> Schema:
    """Of one of ``KINDS``. A file leaves out what it does not say; an answer says everything."""
    kind = KINDS[name]
    parts = msgspec.json.schema(kind)["$defs"]
    if kind is MixFile:
        parts = {part: without_nulls(node) for part, node in parts.items()}
    parts = {part: explained(node, MEANINGS[part]) for part, node in parts.items()}
    whole = parts.pop(kind.__name__)
    own = {key: value for key, value in whole.items() if key != "title"}
    return json.loads(json.dumps(head(name, TITLES[kind]) | own | {"$defs": parts}))  # defaults are tuples
