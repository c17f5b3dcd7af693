"""The workbench's code on its way to Dask workers: a module for each sweep, and calls of it."""

from __future__ import annotations

import base64
import tempfile
import uuid
from pathlib import Path
from typing import Any

from workbench.session.hosts.archive import worker_archive
from workbench.session.sweeps.clusters import distributed

_NODE = Path(__file__).with_name("dask_node.py")


class NodeCode:
    """The module that every Dask worker gets, and calls of its functions.

    A call names a builtin alone, as Dask's scheduler, which has no such module, unpickles it too;
    and it is text, so that the workers' Python may be of another version.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._name = f"tilelang_workbench_{uuid.uuid4().hex}"
        archive = base64.b64encode(worker_archive().content).decode()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"{self._name}.py")
            path.write_text(f"{_NODE.read_text('utf-8')}\n\nARCHIVE = '{archive}'\n", "utf-8")
            plugin = distributed().diagnostics.plugin.UploadFile(str(path))
        client.register_plugin(plugin, name=self._name)

    def submit(self, header: dict[str, Any], **options: Any) -> Any:
        """Have a job done by any worker: the future of what `run_task` returns."""
        call = f"__import__({self._name!r}).run_task(header)"
        return self._client.submit(eval, call, {"header": header}, pure=False, **options)

    def end(self) -> None:
        """End what was started on the workers, and send the code to no more of them."""
        self._client.run(eval, f"__import__({self._name!r}).end_node()", on_error="ignore")
        self._client.unregister_worker_plugin(self._name)
