"""Scripts and answers of each batch system against the syntax of its manual; Slurm's are tried with the real one in test_slurm.py."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from hakaru.base.errors import UserError
from hakaru.run.batch.job import Job, clock
from hakaru.run.batch.site import Site
from hakaru.run.batch.systems.known import batch_system, known
from hakaru.run.batch.systems.system import Status

JOB = Job("h1-name", Path("/r"), ("python", "-m", "hakaru"), nodes=2, ranks_of_node=4, threads=3, time_s=90.0)
ARRAY = Job("h1-name", Path("/r"), ("python",), tasks=3, at_once=2)
SITE = Site(
    system="slurm", cores=12, account="ab12", partition="small", options=("--x=1",), modules=("gcc/12",)
)

SAID = {
    "slurm": ["--nodes=2", "--ntasks-per-node=4", "--cpus-per-task=3", "--time=00:01:30", "--account=ab12",
              "--partition=small", "--exclusive", "--no-requeue", "--output=/r/out-%j.txt", "--x=1"],
    "pbs": ["-l select=2:ncpus=12:mpiprocs=4:ompthreads=3", "-l walltime=00:01:30", "-A ab12", "-q small",
            "-l place=scatter:excl", "-j oe", "-o /r/", "-r n", "--x=1"],
    "pjm": ['-L "node=2"', '-L "elapse=00:01:30"', '--mpi "max-proc-per-node=4"', "-g ab12",
            '-L "rscgrp=small"', "-j", "--x=1"],
    "nqsv": ["-b 2", "-T openmpi", "-l elapstim_req=00:01:30", "-l cpunum_job=12", "-A ab12", "-q small", "--x=1"],
}  # fmt: skip
PREFIX = {"slurm": "#SBATCH", "pbs": "#PBS", "pjm": "#PJM", "nqsv": "#PBS"}
SEVERAL = {"slurm": "--array=0-2%2", "pbs": "-J 0-2%2", "nqsv": "-t 0-2"}
AFTER = {
    "slurm": "--dependency=afterany:7:8",
    "pbs": "-W depend=afterany:7:8",
    "nqsv": "--after 7,8",
}


def test_all_are_here():
    assert set(known()) == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_scripts_say_what_is_asked_for(name, tmp_path):
    text = batch_system(name).script(JOB, SITE)
    lines = text.splitlines()
    told = [line.removeprefix(f"{PREFIX[name]} ") for line in lines if line.startswith(PREFIX[name])]
    assert set(SAID[name]) <= set(told), told
    assert lines[0] == "#!/bin/bash" and lines[-1] == "exec python -m hakaru"
    first = next(at for at, line in enumerate(lines) if line and not line.startswith("#"))
    assert not [line for line in lines[first:] if line.startswith(PREFIX[name])], (
        "directives end at a command"
    )
    subprocess.run(["bash", "-n"], input=text, text=True, check=True)


@pytest.mark.parametrize("name", SEVERAL)
def test_arrays(name):
    assert f"{PREFIX[name]} {SEVERAL[name]}" in batch_system(name).script(ARRAY, SITE).splitlines()


def test_bulk_jobs_of_pjm_are_said_on_the_command_line():
    line = batch_system("pjm").submit_command(Path("/r/script"), ARRAY)
    assert line == ["pjsub", "--bulk", "--sparam", "0-2", "/r/script"]


@pytest.mark.parametrize("name", AFTER)
def test_jobs_that_wait_for_others(name):
    job = Job("h1", Path("/r"), ("python",), after=("7", "8"))
    assert f"{PREFIX[name]} {AFTER[name]}" in batch_system(name).script(job, SITE).splitlines()


def test_nqsv_ends_on_all_nodes_but_the_first():
    text = batch_system("nqsv").script(replace(JOB, folder=Path("/"), words=("echo", "here")), SITE)
    text = "\n".join(line for line in text.splitlines() if "module" not in line and "out-task" not in line)
    for job, said in (("0:7.head", "here\n"), ("1:7.head", ""), ("12:7[3].head", "")):
        done = subprocess.run(["bash"], input=text, env={"PBS_JOBID": job}, capture_output=True, text=True)
        assert done.stdout == said


def test_pjm_says_that_it_cannot_wait_for_others():
    with pytest.raises(UserError, match="PJM cannot make a job wait"):
        batch_system("pjm").script(Job("h1", Path("/r"), ("python",), after=("7",)), SITE)


ANSWERS = [
    ("slurm", "12\n", "12"),
    ("slurm", "12;cluster\n", "12"),
    ("pbs", "123.head\n", "123.head"),
    ("pbs", "123[].head.site\n", "123[].head.site"),
    ("pjm", "[INFO] PJM 0000 pjsub Job 12345 submitted.\n", "12345"),
    ("nqsv", "Request 77.head submitted to queue: small.\n", "77.head"),
]


@pytest.mark.parametrize(("name", "printed", "id"), ANSWERS)
def test_ids(name, printed, id):
    assert batch_system(name).job_id(printed) == id


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("printed", ["", "try again later\n", "sbatch: error: 12 jobs\n"])
def test_what_is_no_id_is_refused(name, printed):
    with pytest.raises(ValueError):
        batch_system(name).job_id(printed)


def test_what_squeue_says():
    printed = (
        "12|0|RUNNING|None\n12|1|PENDING|Resources\n12|2|TIMEOUT|TimeLimit\n13|N/A|NODE_FAIL|NodeDown\n"
        "14|N/A|PENDING|Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions\n"
        "15|N/A|COMPLETED|None\n"
    )
    told = batch_system("slurm").statuses(0, printed, "")
    assert told["12", 0] == Status("running") and told["12", 1] == Status("waiting", "Resources")
    assert told["12", 2] == Status("ended", "TIMEOUT") and told["13", None] == Status("ended", "NODE_FAIL")
    assert "DOWN, DRAINED" in told["14", None].why and told["15", None] == Status("ended")


def test_what_qstat_of_pbs_says():
    jobs = {
        "5[].head": {"job_state": "B", "Job_Name": "h1-a"},
        "5[0].head": {"job_state": "X", "Exit_status": 0, "Job_Name": "h1-a"},
        "5[1].head": {"job_state": "R", "Job_Name": "h1-a"},
        "6.head": {"job_state": "H", "comment": "held", "Job_Name": "h1-b"},
        "7.head": {"job_state": "F", "Exit_status": 271, "Job_Name": "h1-c"},
    }
    system = batch_system("pbs")
    told = system.statuses(0, json.dumps({"Jobs": jobs}), "")
    assert told["5[].head", 0] == Status("ended") and told["5[].head", 1] == Status("running")
    assert told["6.head", None] == Status("waiting", "held")
    assert told["7.head", None] == Status("ended", "ended by signal 15")
    assert system.named(json.dumps({"Jobs": jobs}), "h1-b") == ["6.head"]


PJSTAT = """
  ACCEPT QUEUED  STGIN  READY RUNING RUNOUT STGOUT   HOLD  ERROR   TOTAL
       0      1      0      0      1      0      0      0      0       2
s      0      1      0      0      1      0      0      0      0       2

JOB_ID     JOB_NAME   MD ST  USER     START_DATE      ELAPSE_LIM NODE_REQUIRE    VNODE  CORE V_MEM
238        h1-a       NM RUN user1    11/17 09:01:41  0001:00:00 12:2x3x2        -      -    -
239[1]     h1-b       BU QUE user1    -               0001:00:00 12:2x3x2        -      -    -
"""


def test_what_pjstat_says():
    system = batch_system("pjm")
    assert system.statuses(0, PJSTAT, "") == {
        ("238", None): Status("running"),
        ("239", 1): Status("waiting"),
    }
    assert system.named(PJSTAT, "h1-a") == ["238"]


QSTAT = """RequestID       ReqName  UserName Queue     Pri STT S   Memory      CPU   Elapse R H M Jobs
--------------- -------- -------- -------- ---- --- - -------- -------- -------- - - - ----
123.head        h1-name- user1    small       0 RUN -    3.25M     0.17       21 Y Y Y    1
124[2].head     h2-name- user1    small       0 QUE -    0.00B     0.00        0 Y Y Y    1
"""


def test_what_qstat_of_nqsv_says():
    system = batch_system("nqsv")
    told = system.statuses(0, QSTAT, "")
    assert told == {("123.head", None): Status("running"), ("124[].head", 2): Status("waiting")}
    assert system.named(QSTAT, "h1-name-of-a-campaign") == ["123.head"]


@pytest.mark.parametrize("name", SAID)
def test_a_batch_system_that_does_not_answer_is_no_empty_queue(name):
    with pytest.raises(ValueError):
        batch_system(name).statuses(255, "", "cannot connect to server")


UNKNOWN = {
    "slurm": "slurm_load_jobs error: Invalid job id specified",
    "pbs": "qstat: Unknown Job Id 5.head",
    "pjm": "[ERR.] PJM 0511 pjstat Job 5 does not exist.",
    "nqsv": "Batch Request: 5.head does not exist on head.",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_forgotten_job_is_no_error(name):
    assert batch_system(name).statuses(1, "", UNKNOWN[name]) == {}


def test_times_are_never_cut():
    assert [clock(1), clock(59.2), clock(3600), clock(360000)] == [
        "00:00:01",
        "00:01:00",
        "01:00:00",
        "100:00:00",
    ]


def test_an_unknown_system_is_told():
    with pytest.raises(UserError, match="known are: nqsv, pbs, pjm, slurm"):
        batch_system("lsf")
