"""A Dask cluster whose workers are jobs of Slurm (dask-jobqueue); TLS to the scheduler here."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.core.user_folders import user_cache_folder
from workbench.session.hosts.reasons import last_line
from workbench.session.sweeps.backend import BackendError
from workbench.session.sweeps.clusters import (
    EXTRA,
    GPU_RESOURCE,
    LOOPBACK,
    Cluster,
    OnText,
    client_of,
    dashboard_options,
    distributed,
    options_of,
    quiet_unless,
    temporary_keys,
    whole_number,
)

_OPTIONS = {
    "queue": "the partition",
    "account": "whom the jobs are charged to",
    "jobs": "how many jobs, each of which is a worker",
    "cores": "processors of each job",
    "memory": "memory of each job, such as 32GB",
    "walltime": "the time limit of each job, such as 02:00:00",
    "gres": "what each job gets: gpu:1 or gpu:a100:1, or none",
    "qos": "a quality of service",
    "constraint": "features of the nodes",
    "reservation": "a reservation",
    "python": "the Python of the nodes",
    "shared": "a folder that the nodes see too",
    "interface": "the network interface between this machine and the nodes",
    "dashboard": "a port of this machine",
}
_DIRECTIVES = ("qos", "constraint", "reservation")
_PASSED = ("queue", "account", "walltime", "python", "interface")  # as dask-jobqueue calls them
_NO_GRES = "none"
_GRES = re.compile(
    r"(?:gres/)?gpu(?::[A-Za-z0-9_.-]*[A-Za-z_.-][A-Za-z0-9_.-]*)?(?::(?P<count>\d+))?"
)
_COMMAND_SECONDS = 60.0
_ASK_SECONDS = 2.0
_GONE_SECONDS = 30.0  # until a worker that Slurm has started has come
#: What Slurm says, and what to do then.
_CURES = {
    "invalid partition": "Name one of its partitions, {partitions}: slurm://?queue=NAME",
    "invalid account": "Name an account of yours ('sacctmgr show user $USER -s'): account=NAME",
    "generic resource": "Name what its nodes have ('sinfo -o %G'): gres=gpu:1, or gres=none",
    "configuration is not available": "No node has so much: ask for less by gres=, cores= and "
    "memory= (its nodes: 'sinfo -o \"%P %c %m %G\"')",
    "time specification": "Give a time as HH:MM:SS: walltime=02:00:00",
}
_OTHER_CURE = "See 'sinfo', and that 'sbatch' takes a job of yours in a terminal"


@dataclass
class _Jobs:
    """The jobs of one cluster: what Slurm said of them, and where they print."""

    cluster: Any
    folder: Path
    ids: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    client: Any = None
    asked: float = 0.0
    seen: float = field(default_factory=time.monotonic)
    text: str | None = None

    def awaited(self) -> str | None:
        """What jobs wait for, as long as Slurm has them; raises BackendError where it has none."""
        if self.failures:
            raise BackendError(_refused(self.failures[0]))
        if time.monotonic() - self.asked < _ASK_SECONDS:
            return self.text
        self.asked = time.monotonic()
        states = self._states()
        if states:
            self.seen = self.asked
        elif self.ids and self.asked - self.seen > _GONE_SECONDS:
            raise BackendError(self._why_gone())
        self.text = ", ".join(states) or None
        return self.text

    def close(self) -> None:
        """End the jobs, also those that wait, and take the keys away."""
        if self.client is not None:
            self.client.close()
        try:
            self.cluster.close()
            if self.ids:
                _slurm("scancel", "--quiet", *self.ids)  # nothing to do where all went well
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _states(self) -> list[str]:
        if not self.ids:
            return []
        told = _slurm("squeue", "-h", "-j", ",".join(self.ids), "-o", "%i|%T|%r")
        rows = [line.split("|") for line in told.stdout.splitlines() if line.count("|") == 2]
        return [
            f"job {job} is {state.lower()}" + (f" ({why})" if why != "None" else "")
            for job, state, why in rows
        ]

    def _why_gone(self) -> str:
        logs = sorted(self.folder.glob("*.err"))
        lines = logs[-1].read_text("utf-8", "replace").splitlines() if logs else []
        said = last_line(lines)
        what = f"Slurm's jobs {', '.join(self.ids)} ended and no worker is left"
        if said:
            return f"{what}; the last one said: {said} What was found is kept for 'sweep --resume'"
        return (
            f"{what}. They printed nothing to {self.folder}, so see that the nodes share that "
            "folder (shared=FOLDER), and 'scontrol show job "
            f"{self.ids[-1]}'"
        )


def start(address: str, rest: str, on_text: OnText) -> Cluster:
    """The cluster of jobs that an address asks for; raises BackendError."""
    options = options_of(address, rest.lstrip("/").lstrip("?"), _OPTIONS)
    jobs = whole_number(address, options, "jobs") or 1
    port = whole_number(address, options, "dashboard")
    _check_words(address, options)
    arguments = job_arguments(address, options)
    if shutil.which("sbatch") is None:
        raise BackendError(
            f"--scheduler {address}: there is no 'sbatch' on this machine. Run the sweep where "
            "Slurm's commands are: on the cluster's login node"
        )
    started = _begun(arguments, options.get("shared"), port)
    try:
        check_job(started.cluster.job_script())
        on_text(f"asking Slurm for {jobs} jobs")
        started.cluster.scale(jobs=jobs)
        started.client = client_of(started.cluster)
    except BaseException:
        started.close()
        raise
    title = f"Dask by Slurm, {jobs} {'job' if jobs == 1 else 'jobs'}"
    return Cluster(started.client, title, started.close, started.awaited)


def job_arguments(address: str, options: Mapping[str, str]) -> dict[str, Any]:
    """What dask-jobqueue is asked for; the person's jobqueue.yaml holds where nothing is given."""
    import dask

    def usual(name: str, fallback: Any) -> Any:
        return dask.config.get(f"jobqueue.slurm.{name}", None) or fallback

    gres = _gres(address, options.get("gres", "gpu:1"))
    directives = [f"--{name}={options[name]}" for name in _DIRECTIVES if name in options]
    worker = ["--no-dashboard", "--dashboard-address", f"{LOOPBACK}:0"]
    if gres is not None:
        directives.append(f"--gres={gres}")
        worker += ["--resources", f"{GPU_RESOURCE}=1"]
    routes = "export DASK_DISTRIBUTED__WORKER__HTTP__ROUTES='[]'"
    return {
        "cores": whole_number(address, options, "cores") or int(usual("cores", 8)),
        "memory": options.get("memory") or usual("memory", "32GB"),
        "processes": 1,
        "worker_extra_args": [*usual("worker-extra-args", []), *worker],
        "job_extra_directives": [*usual("job-extra-directives", []), *directives],
        "job_script_prologue": [*usual("job-script-prologue", []), routes],
        **{name: options[name] for name in _PASSED if name in options},
    }


def _check_words(address: str, options: Mapping[str, str]) -> None:
    """Each option stands in a line of the job's script, and may not begin another."""
    for name, value in options.items():
        if not value or not value.isprintable():
            raise BackendError(f"--scheduler {address}: {name} cannot be {value!r}")


def _gres(address: str, text: str) -> str | None:
    """What `--gres` asks for; None for nothing. A worker has one GPU: several jobs have several."""
    if text == _NO_GRES:
        return None
    found = _GRES.fullmatch(text)
    if found is not None and int(found["count"] or 1) != 1:
        raise BackendError(
            f"--scheduler {address}: each job measures on one GPU, so gres={text} would leave "
            f"others idle. Ask for more jobs: gres=gpu:1&jobs={found['count']}"
        )
    return text


def _begun(arguments: Mapping[str, Any], shared: str | None, port: int | None) -> _Jobs:
    """The scheduler, before any job was asked for, with a private folder that the nodes see."""
    try:
        from dask_jobqueue import SLURMCluster
        from dask_jobqueue.slurm import SLURMJob
    except ImportError as error:
        raise BackendError(f"Slurm needs the extra 'cluster': {EXTRA}") from error
    import dask

    folder = _private_folder(Path(shared).expanduser() if shared else user_cache_folder())
    jobs = _Jobs(None, folder)
    try:
        with dask.config.set(quiet_unless(port)):
            jobs.cluster = SLURMCluster(
                job_cls=_noting(SLURMJob, jobs),
                security=_keys_in(folder),
                log_directory=str(folder),
                scheduler_options=dashboard_options(port),
                silence_logs="critical",
                **arguments,
            )
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise BackendError(f"dask-jobqueue takes no such job: {error}") from error
    return jobs


def _keys_in(folder: Path) -> Any:
    """Keys for this sweep in files that the nodes read too, and nobody else."""
    told = temporary_keys().get_tls_config_for_role("worker")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    certificate.write_text(told["cert"])
    key.touch(mode=0o600)
    key.write_text(told["key"])
    roles = ("client", "scheduler", "worker")
    return distributed().Security(
        require_encryption=True,
        tls_ca_file=str(certificate),
        **{f"tls_{role}_cert": str(certificate) for role in roles},
        **{f"tls_{role}_key": str(key) for role in roles},
    )


def _private_folder(parent: Path) -> Path:
    """A folder for keys and logs, for this user's eyes alone; raises BackendError."""
    try:
        parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="slurm-", dir=parent))  # of mode 700
    except OSError as error:
        raise BackendError(
            f"the folder {parent}, which the nodes must see, cannot be written: "
            f"{error.strerror}. Name another: shared=FOLDER"
        ) from error


def _noting(base: Any, jobs: _Jobs) -> Any:
    """Slurm's job class with what it did kept in `jobs`: dask-jobqueue tells nobody."""

    class Job(base):  # type: ignore[misc]
        async def start(self) -> None:
            try:
                await super().start()
            except Exception as error:
                jobs.failures.append(str(error))
                raise
            jobs.ids.append(str(self.job_id))

    return Job


def check_job(script: str) -> None:
    """Have Slurm look at a job without running it; raises BackendError with what it says."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
        file.write(script)
        file.flush()
        told = _slurm("sbatch", "--test-only", file.name)
    if told.returncode != 0:
        raise BackendError(_refused(told.stderr))


def _refused(said: str) -> str:
    lines = [line for line in said.splitlines() if re.search(r"error|failure|fatal", line)]
    first = lines[0] if lines else last_line(said.splitlines())
    first = re.sub(r"^(sbatch: )?(error|fatal): ", "", first.strip())
    cure = next((cure for key, cure in _CURES.items() if key in said.lower()), _OTHER_CURE)
    partitions = ", ".join(_slurm("sinfo", "-h", "-o", "%R").stdout.split())
    return f"Slurm refused the job: {first}. {cure.format(partitions=partitions or 'see sinfo')}"


def _slurm(*words: str) -> subprocess.CompletedProcess[str]:
    """Run one of Slurm's commands; raises BackendError where it does not answer."""
    try:
        return subprocess.run(
            words, capture_output=True, text=True, timeout=_COMMAND_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BackendError(
            f"Slurm's '{words[0]}' did not answer: {error}. See that its controller runs: "
            "'scontrol ping'"
        ) from error
