"""Runs one refresh: the cloud's `refresh` fetches the data, which replace the old file."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from gpuinfra.clouds import priced_cloud_of
from gpuinfra.clouds.refreshing import refreshed_content, user_table_files
from gpuinfra.clouds.refreshing.contract import (
    FetchedData,
    GpuKey,
    Part,
    PriceSource,
    RefreshRequest,
)
from gpuinfra.clouds.refreshing.page_cache import KEPT_FOR, PageCache
from gpuinfra.clouds.refreshing.page_fetcher import PageFetcher, Say
from gpuinfra.clouds.refreshing.web import Web
from gpuinfra.errors import InputError, NotYetError, Problem, RefreshError, unknown_word
from gpuinfra.file_locks import hold_lock
from gpuinfra.units import format_count


@dataclass(frozen=True, kw_only=True)
class Job:
    """A refresh that can start, with every option and credential that it needs."""

    cloud: str
    source: PriceSource
    request: RefreshRequest
    skipped: tuple[str, ...]
    """Parts that were not asked for by name and lack a credential, in words."""


def plan(
    cloud: str, parts: Sequence[Part], regions: Sequence[str], endpoint: str, gpu_key: GpuKey
) -> Job:
    """Return the refresh to run.

    Args:
        cloud: whose.
        parts: what is wanted; nothing means all that the credentials allow.
        regions: where; nothing means every region of the table.
        endpoint: an address in place of the interface's own, or empty.
        gpu_key: tells a GPU of the table by name and memory.

    Raises:
        NotYetError: the cloud's interfaces want signed requests, or have no such part.
        InputError: a region is unknown, or no part has its credential.
    """
    cloud_provider = priced_cloud_of(cloud)
    source = cloud_provider.refresh
    if source is None:
        raise NotYetError(
            f"not supported yet: the price API of {cloud} requires signed requests; use "
            "the shipped prices, or newer ones of your own in prices.yaml"
        )
    for part in parts:
        if part not in source.PARTS:
            raise NotYetError(
                f"not supported yet: refreshing {part} of {cloud}; supported: "
                f"{', '.join(source.PARTS)}"
            )
    missing_by_part = {part: source.missing(part) for part in parts or source.PARTS}
    complete_parts = [part for part, lack in missing_by_part.items() if not lack]
    if not complete_parts or (parts and len(complete_parts) < len(missing_by_part)):
        lacks = sorted({lack for lack in missing_by_part.values() if lack})
        raise InputError(
            [
                Problem(
                    message=f"refreshing {', '.join(missing_by_part)} of {cloud} needs {key_text}",
                    fix="set it, or refresh other parts with --only",
                )
                for key_text in lacks
            ]
        )
    request = RefreshRequest(
        parts=frozenset(part for part in source.PARTS if part in complete_parts),
        regions=_check_regions(cloud, tuple(dict.fromkeys(regions)), cloud_provider.regions.all()),
        machines={machine.type: machine for machine in cloud_provider.machines.all_machines()},
        gpu_key=gpu_key,
        endpoint=endpoint,
    )
    skipped = tuple(f"{part}: requires {lack}" for part, lack in missing_by_part.items() if lack)
    return Job(cloud=cloud, source=source, request=request, skipped=skipped)


def fetch(job: Job, show_progress: Say) -> FetchedData:
    """Fetch from the APIs; pages of a run interrupted less than a day ago are reused.

    Raises:
        RefreshError: an interface failed, or has no price; nothing was changed.
    """
    web = Web(job.request.endpoint or job.source.ENDPOINT, job.source.headers())
    spool = _spool(job.cloud)
    try:
        fetched = job.source.fetch(
            job.request, PageFetcher(web, spool, show_progress, job.source.PAUSE_SECONDS)
        )
    except RefreshError as error:
        text = f"{error.message}\n{_kept_text(job.cloud, spool)}"
        raise RefreshError(text, fix=error.fix) from error
    except OSError as error:
        raise _write_error(job.cloud, error) from error
    asks_prices = job.request.parts & {"prices", "spot"}
    if (asks_prices and not fetched.prices) or not (fetched.prices or fetched.machines):
        note = f" ({fetched.left_out[0]})" if fetched.left_out else ""
        spool.clear()
        raise RefreshError(
            f"the price API lists no machine of {job.cloud}{note}\n{_kept_text(job.cloud, spool)}"
        )
    return fetched


def write(job: Job, fetched: FetchedData) -> Path:
    """Merge the fetched rows into those of an earlier refresh, and drop the cached pages.

    Raises:
        RefreshError: the file can't be written; the old one stays as it is.
    """
    try:
        with _file_lock(user_table_files.path(job.cloud)):
            old = user_table_files.content(job.cloud)
            written_path = user_table_files.write(
                job.cloud, refreshed_content.merged_file(job.cloud, fetched, old)
            )
    except OSError as error:
        raise _write_error(job.cloud, error) from error
    _spool(job.cloud).clear()
    return written_path


def interruption_message(cloud: str) -> str:
    """Return the message about the pages that an interrupted refresh has cached."""
    return _kept_text(cloud, _spool(cloud))


def _kept_text(cloud: str, spool: PageCache) -> str:
    pages = len(spool)
    hours = int(KEPT_FOR.total_seconds() // 3600)
    came = "the received page is" if pages == 1 else f"the {pages} received pages are"
    span = format_count(hours, "hour")
    again = f"; {came} kept for {span}: run the same command again to continue"
    exists = user_table_files.path(cloud).exists()
    outcome = "the refreshed file is unchanged" if exists else "no file was written"
    dates = "; the prices here stay, with their dates (gpuinfra catalog age)"
    return f"no changes, {outcome}{again if pages else dates}"


def _write_error(cloud: str, error: OSError) -> RefreshError:
    path = error.filename or user_table_files.refreshed_folder()
    return RefreshError(
        f"{path} can't be written: {error.strerror or error}\n{_kept_text(cloud, _spool(cloud))}"
    )


def _spool(cloud: str) -> PageCache:
    return PageCache(user_table_files.refreshed_folder() / "spool" / cloud)


def _file_lock(path: Path) -> AbstractContextManager[None]:
    """Lock the file, so that two refreshes at a time write one after the other."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return hold_lock(path.with_name(f".{path.name}.lock"))


def _check_regions(
    cloud: str, chosen_regions: tuple[str, ...], regions: tuple[str, ...]
) -> tuple[str, ...]:
    problems = [
        unknown_word(f"unknown region of {cloud}", region, regions)
        for region in chosen_regions
        if region not in regions
    ]
    if problems:
        raise InputError(problems)
    return chosen_regions or regions
