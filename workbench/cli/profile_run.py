"""One invocation of `profile`: what is measured where, predicted here, and recorded."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path

from workbench.cli import command, output, places, profile_items, results
from workbench.cli.profile_items import Point
from workbench.cli.status import UsageError
from workbench.core.hosts import LOCAL
from workbench.core.jobs import Failure, Source
from workbench.core.profiles import Ceilings, DeviceInfo, ProfileRequest
from workbench.core.runs import Run, new_run_id
from workbench.session.batch import BatchWorker
from workbench.session.ceilings import CeilingStore, keep_quietly
from workbench.session.hosts.places import Place
from workbench.session.profile_batch import GpuLane, Measured, predicted, result_of
from workbench.session.recording import record_profile
from workbench.session.requests import Item, profile_request, source_of
from workbench.session.worker_client import WorkerStartError
from workbench.wire.events import Ended

_CUT = Ended("", "cancelled", failure=Failure("environment", "interrupted"))
Recorded = tuple[Point, Measured, str | None]


class Profiling:
    """Measures points on one GPU of a place, whose worker is `worker`."""

    def __init__(
        self,
        options: argparse.Namespace,
        place: Place,
        device: DeviceInfo,
        worker: BatchWorker,
    ) -> None:
        self._options = options
        self._place = place
        self._device = device
        self._worker = worker
        self._workspace = command.workspace_of(options)
        self._limits = command.limits_of(options, command.load_settings())
        self._host = places.recorded_host(place)

    def run(self, points: Sequence[Point]) -> list[Recorded]:
        """Measure, predict and record one point after another; each with the run's id.

        What was measured is kept whatever becomes of those after it.
        """
        found: list[Recorded] = []
        is_series = any(point.series for point in points)
        group = new_run_id(datetime.now(timezone.utc)) if is_series else None
        requests = [self._request(point.item) for point in points]
        try:
            with self._local_worker() as local:
                for point, ended in zip(points, self._lane().run(requests), strict=True):
                    measured = Measured(point.item, ended, result_of(ended))
                    try:
                        measured = self._predicted(local, measured)
                    finally:
                        found.append((point, measured, self._record(measured, group)))
        except KeyboardInterrupt:
            for point in points[len(found) :]:
                self._record(Measured(point.item, _CUT), group)
            raise
        finally:
            output.clear_progress()
        return found

    def _lane(self) -> GpuLane:
        store = CeilingStore()
        known = None if self._options.measure_ceilings else store.of(self._device)

        def keep(found: Ceilings) -> None:
            if (problem := keep_quietly(store, found)) is not None:
                print(f"warning: what the GPU reaches was not kept: {problem}", file=sys.stderr)

        return GpuLane(self._worker, self._limits, output.progress, known, keep)

    def _request(self, item: Item) -> ProfileRequest:
        options = self._options
        source = places.source_for(self._place, self._source(item))
        request = profile_request(
            item,
            source,
            counters=options.counters or options.full or options.lines,
            lines=options.lines,
            cache=options.cache,
            device=options.device,
        )
        return dataclasses.replace(
            request,
            baseline=profile_items.baseline_of(item.document, options, request.baseline),
            method=options.method,
            check=options.check,
            counter_set="full" if options.full else "basic",
        )

    def _source(self, item: Item) -> Source:
        # Whoever types a file's name into a command that runs it has said that it may run.
        return source_of(item.document, self._workspace, True)

    def _predicted(self, local: BatchWorker, measured: Measured) -> Measured:
        if not self._options.predict:
            return measured
        output.progress("predicting")
        return predicted(local, measured, self._source, self._limits, output.progress)

    @contextlib.contextmanager
    def _local_worker(self) -> Iterator[BatchWorker]:
        """The worker that predicts, on this machine: the one that measures where that is here."""
        if self._place.host == LOCAL or not self._options.predict:
            yield self._worker
            return
        try:
            worker = BatchWorker()
        except WorkerStartError as error:
            raise UsageError(str(error)) from error
        with worker:
            yield worker

    def _record(self, measured: Measured, group: str | None) -> str | None:
        def recorder(item: Item, ended: Ended, workspace: Path) -> tuple[Run, list[bytes]]:
            return record_profile(item, ended, workspace, self._host, measured.analysis, group)

        ends = [(measured.item, measured.ended)]
        return results.record_ends(self._workspace, ends, recorder)[0]
