"""The run of a verification."""

from __future__ import annotations

from pathlib import Path

from workbench.core.jobs import BlockSample, SeedResult, VerifyResult
from workbench.core.plain import from_plain
from workbench.core.runs import LOCAL_HOST, SAMPLED, Metric, MetricSource, Run, RunKind
from workbench.session.recording.begun_runs import begun_run, completed, text_of
from workbench.session.recording.error_maps import error_maps
from workbench.session.requests import Item
from workbench.wire.events import Ended


def record_verify(
    item: Item, ended: Ended, workspace: Path, on: str, host: str = LOCAL_HOST
) -> tuple[Run, list[bytes]]:
    """The run of a verify job on `host`; its error maps become artifacts."""
    result = from_plain(VerifyResult, ended.result) if ended.result is not None else None
    run = begun_run(item, ended, workspace, RunKind.VERIFY, result, host)
    metrics = _verify_metrics(result.seeds, on) if result else {}
    metrics |= _sample_metrics(result.sample if result else None)
    seeds = result.seeds if result else ()
    maps = [each for seed in seeds for each in error_maps(seed.seed, seed.outputs, ended.blobs)]
    artifacts = [artifact for artifact, _ in maps]
    return completed(run, metrics, artifacts, device=on), [*(m for _, m in maps), text_of(item)]


def _sample_metrics(sample: BlockSample | None) -> dict[str, Metric]:
    """How many blocks ran, where not all did: a run with these has checked a part only."""
    if sample is None:
        return {}
    return {
        name: Metric(value, "", MetricSource.MEASURED, sample.text)
        for name, value in zip(SAMPLED, (sample.blocks_run, sample.blocks_total), strict=True)
    }


def _verify_metrics(seeds: tuple[SeedResult, ...], on: str) -> dict[str, Metric]:
    metrics: dict[str, Metric] = {}
    for output in (o for seed in seeds for o in seed.outputs):
        for name in ("rel_fro", "max_abs", "mismatched"):
            key, value = f"{output.name}.{name}", getattr(output, name)
            known = metrics[key].value if key in metrics else None
            worst = max((v for v in (known, value) if v is not None), default=None)
            metrics[key] = Metric(worst, "", MetricSource.MEASURED, f"on {on}, worst seed")
    return metrics
