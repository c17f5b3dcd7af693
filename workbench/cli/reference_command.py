"""`reference`: a page of the reference, or what a search finds in it."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workbench.cli import command, output
from workbench.cli.reference_text import WIDTH, page_lines
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.data_files import find_data
from workbench.core.jobs import ReferenceRequest, ReferenceResult
from workbench.core.plain import from_plain, to_plain
from workbench.core.reference.api_cache import read_cache
from workbench.core.reference.api_model import Api
from workbench.core.reference.inline import plain
from workbench.core.reference.library import HOME, Library, Shipped, build_library
from workbench.core.reference.model import Page, PageKind
from workbench.core.targets.table import load_targets
from workbench.core.user_folders import user_cache_folder
from workbench.session.batch import run_batch
from workbench.session.reference import failure_text, installed_tilelang, keep
from workbench.session.worker_client import WorkerStartError
from workbench.wire.messages import Limits

SCHEMA = 1
_MOST = 20
_LEAST_ROOM = 40  # columns of a summary beside a long slug


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query",
        nargs="*",
        metavar="QUERY|SLUG",
        help="a name (T.gemm), a problem's code, a slug (hardware/hopper), or words to search for",
    )
    parser.add_argument("--search", action="store_true", help="list pages, also for a page's name")
    parser.add_argument("--limit", type=command.whole_number, default=_MOST, metavar="N")
    command.add_json_option(parser)


def _run(options: argparse.Namespace) -> int:
    query = " ".join(options.query).strip()
    cache = user_cache_folder()
    library = _library(_api(cache))
    page = None if options.search else library.page(query or HOME)
    found = [page] if page is not None else _found(library, query, options.limit)
    if not found:
        raise UsageError(f"the reference has no page about {query!r}: try a shorter word")
    if options.json:
        output.print_json(_json(query, page, found))
    elif page is not None:
        print("\n".join(page_lines(page)))
    else:
        _print_found(found)
    return ExitStatus.GOOD


def _found(library: Library, query: str, limit: int) -> list[Page]:
    return [hit.page for hit in library.search(query, limit)][:limit]


def _library(api: Api | None) -> Library:
    return build_library(Shipped(find_data("resources"), find_data("kernels"), load_targets()), api)


def _api(cache: Path) -> Api | None:
    """The names of TileLang as they were kept, else read by a worker; None, said, without one."""
    version = installed_tilelang()
    kept = read_cache(cache, version) if version is not None else None
    if kept is not None:
        return kept
    try:
        settings = command.load_settings()
        limits = Limits(float(settings.job_time_limit_s), settings.job_memory_limit_bytes)
        ((_, ended),) = run_batch([ReferenceRequest()], limits, output.progress, _ignore)
    except WorkerStartError as error:
        print(f"warning: {error}", file=sys.stderr)
        return None
    finally:
        output.clear_progress()
    if ended.outcome != "done":
        print(f"warning: {failure_text(ended)}", file=sys.stderr)
        return None
    api = from_plain(ReferenceResult, ended.result).api
    keep(cache, api)
    return api


def _json(query: str, page: Page | None, found: Iterable[Page]) -> dict[str, Any]:
    pages = [
        {"slug": p.slug, "title": p.title, "kind": p.kind.value, "summary": plain(p.summary)}
        for p in found
    ]
    whole = to_plain(page) if page is not None else None
    return {"schema": SCHEMA, "query": query, "page": whole, "pages": pages}


def _print_found(found: list[Page]) -> None:
    for kind in PageKind:
        pages = [page for page in found if page.kind is kind]
        if pages:
            print(f"{kind.title}")
            width = max(len(page.slug) for page in pages)
            for page in pages:
                room = max(_LEAST_ROOM, WIDTH - width)
                summary = textwrap.shorten(plain(page.summary), room, placeholder=" …")
                print(f"  {page.slug.ljust(width)}  {summary}".rstrip())


def _ignore(text: str) -> None:
    """What TileLang prints while it is loaded is of no use here."""


COMMAND = command.Command(
    "reference",
    "A page about a name, a problem or the hardware, or a search for one.",
    _add_arguments,
    _run,
    {"query": "", "page": None, "pages": []},
)
