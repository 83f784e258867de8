"""The JSON Schema of site files, made from their type; scripts/schemas.py writes it to schema/."""

import msgspec

from hakaru.facts.json_schema import Schema, explained, head, without_nulls
from hakaru.run.batch.site import Site

TITLE = "What hakaru has to be told of a site: its batch system, nodes, account, limits (site.toml)"
MEANINGS = {
    "system": "The batch system: slurm, pbs, pjm or nqsv.",
    "name": "Name of the machine whose nodes, alike, run the jobs; that of the host that submits when it is left out.",
    "cores": "Number of cores of a node.",
    "schema": "The version of this format.",
    "threads_of_core": "Hardware threads of a core that jobs may use.",
    "launcher": "What starts ranks in a job: srun, openmpi, mpich or intelmpi; the batch system's usual one when it is left out.",
    "bound": "Whether ranks are bound to cores.",
    "account": "Account, project or group that pays.",
    "partition": "Partition, queue or resource group.",
    "longest_s": "Longest time of a job in seconds.",
    "margin_s": "Time in seconds that is kept of a job for its start and its end.",
    "late_s": "Time in seconds after which a file that a node wrote is on every host at the latest.",
    "most_nodes": "Largest number of nodes of a job.",
    "most_tasks": "Largest number of tasks of an array.",
    "at_once": "Tasks of an array that may run at the same time; 0 for as many as there is room for.",
    "exclusive": "Whether a job has its nodes for itself.",
    "options": "More options of the batch system, one directive each.",
    "across": "Options of the batch system that put the nodes of a job on different switches.",
    "modules": "Environment modules that a job loads.",
    "environment": "Variables that a job sets.",
    "meter": "A command that prints what a node takes, read on the node around each launch, such as a number with W or J.",
    "machine": "A machine file, by name or path, whose facts of power estimate the energy of jobs that nothing measures.",
}


def schema() -> Schema:
    own = msgspec.json.schema(Site)["$defs"]["Site"]
    whole = explained(without_nulls(own), MEANINGS)
    return head("site", TITLE) | {key: value for key, value in whole.items() if key != "title"}
