"""`gpuinfra lock`: write the choices, prices and image ids beside the stack file."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from gpuinfra import __version__, lock, source
from gpuinfra.api.checking import StackCheck
from gpuinfra.cli.options import format_options
from gpuinfra.cli.quote_comparison import cost_movement_by_workload
from gpuinfra.cli.source import load, source_argument
from gpuinfra.cli.views import compare
from gpuinfra.cli.views.layout import wrap_text
from gpuinfra.cli.views.render import clean, heading, note, show_json, show_table
from gpuinfra.cost import compare as comparing
from gpuinfra.errors import InputError, RefusedError, command_line, lock_update
from gpuinfra.today import today
from gpuinfra.units import format_count, format_money


@click.command("lock")
@source_argument
@format_options
@click.option(
    "--update", is_flag=True, help="Show the drift and its cost, then write the lock again."
)
@click.option(
    "--check", is_flag=True, help="For CI: exit 0 if the lock matches, else 1; does not write."
)
@click.option(
    "--resolve-images", is_flag=True, help="Look up missing image ids, with credentials."
)
@click.option(
    "-o",
    "--output",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="With --resolve-images: write the filled lock to this folder instead.",
)
def command(
    source: Path,
    format_: str,
    update: bool,
    check: bool,
    resolve_images: bool,
    output: Path | None,
) -> int:
    """Write gpuinfra.lock next to SOURCE, with its current machines, prices and images.

    While it is there, check, plan, cost, preview, up and the policy packs use it. A stack file
    that differs from it is refused; plan, cost and report show that file without the lock.
    """
    _fit_together(update, check, resolve_images, output)
    if check:
        return _check(source, format_)
    if resolve_images:
        return _resolve(source, output, format_)
    return _write(source, format_, update=update)


def _fit_together(update: bool, check: bool, resolve_images: bool, output: Path | None) -> None:
    wrong = ""
    if update + check + resolve_images > 1:
        wrong = "--update, --check and --resolve-images can't be combined"
    elif output is not None and not resolve_images:
        wrong = "--output is the folder for --resolve-images"
    if wrong:
        raise InputError.of(wrong, fix="use one of them")


def _check(path: Path, format_: str) -> int:
    """Compare the lock with the stack file and with its own rows; return the exit code.

    The prices of this machine matter only where the lock was made from the same tables.
    """
    compared = source.read_for_comparison(path, today())
    place = lock.lock_path(compared.document.path)
    if compared.lock is None:
        if format_ != "json":
            raise _no_lock(place, path)
        show_json(_report(place, None, matches=False))
        return RefusedError.exit_code
    if compared.lock_changes:
        if format_ != "json":
            load(path)  # says what changed, in money too
        diff = comparing.compare(compared.lock, _make(load(path, lock="ignore"), compared.lock))
        show_json(
            _report(place, compared.lock, matches=False, changes=compared.lock_changes, diff=diff)
        )
        return RefusedError.exit_code
    loaded = load(path, lock="silent")
    terms = replace(loaded.source.terms(loaded.as_of), prices=loaded.source.current_prices)
    wrong = lock.inconsistent_values(compared.lock, loaded.stack, loaded.plan, terms)
    if not lock.is_from_current_tables(compared.lock):
        note(
            f"{place} was made from other tables: its prices were not compared with the "
            "current ones"
        )
    if format_ == "json":
        show_json(_report(place, compared.lock, matches=not wrong, changes=wrong))
    elif wrong:
        fix = f"write it again: `{lock_update(path)}`"
        raise RefusedError(_wrong_sums(place, compared.lock, wrong), fix=fix)
    else:
        click.secho("✓", fg="green", nl=False)
        click.echo(f" {clean(str(place))} matches {clean(compared.document.path.name)}")
    return RefusedError.exit_code if wrong else 0


def _wrong_sums(place: Path, old: lock.Lock, wrong: Sequence[lock.Change]) -> str:
    """Return the message about figures of a lock that its rows and tables contradict."""
    messages = [str(change) for change in wrong[: lock.MAX_LISTED_CHANGES]]
    if len(wrong) > lock.MAX_LISTED_CHANGES:
        messages.append(f"… and {len(wrong) - lock.MAX_LISTED_CHANGES} more")
    locked_version, own_version = old.versions.get("gpuinfra", ""), __version__
    if locked_version != own_version:
        messages.append(f"it was written by gpuinfra {locked_version}, and this is {own_version}")
    head = f"{place} contradicts its own rows and the tables: locked -> recomputed"
    return "\n  ".join([head, *messages])


def _write(path: Path, format_: str, *, update: bool) -> int:
    """Write a lock, or with `update` replace one after showing the changes."""
    loaded = load(path, lock="ignore")
    place = lock.lock_path(loaded.document.path)
    before = _existing_lock(loaded, place, update=update)
    if before is not None and not update:
        return _keep_unchanged(path, loaded, before, format_)
    changes = source.read_for_comparison(path, loaded.as_of).lock_changes if before else ()
    new = _make(loaded, before)
    diff = None if before is None else comparing.compare(before, new)
    if format_ != "json":
        if before is not None and diff is not None:
            rates = cost_movement_by_workload(before, new, loaded.document)
            compare.show(loaded.stack.name, diff, "table", rates, "verbose")
        show(new, loaded)
    if new != before:
        lock.write(new, place)
    if format_ == "json":
        show_json(
            _report(place, new, is_written=new != before, changes=changes, diff=diff, matches=True)
        )
    else:
        click.echo(f"{'wrote' if new != before else 'unchanged:'} {clean(str(place))}")
        _hint(new, path)
    if rules := dict.fromkeys(each.rule for each in loaded.verdict.findings if each.refuses):
        note(f"check fails: {', '.join(rules)}")
    return 0


def _keep_unchanged(path: Path, stack_check: StackCheck, old_lock: lock.Lock, format_: str) -> int:
    """Leave an existing lock unchanged; an error if it doesn't match the stack file."""
    load(path)
    place = lock.lock_path(stack_check.document.path)
    diff = comparing.compare(old_lock, _make(stack_check, old_lock))
    if format_ == "json":
        show_json(_report(place, old_lock, diff=diff, matches=True))
        return 0
    click.echo(f"unchanged: {clean(str(place))}")
    if not diff.is_unchanged:
        update_command = lock_update(path)
        note(f"with current prices, {compare.headline(diff)}: {update_command}")
    _hint(old_lock, path)
    return 0


def _resolve(path: Path, out: Path | None, format_: str) -> int:
    """Request the image ids again from the clouds and write them into the lock."""
    loaded = load(path)
    valid_lock, place = loaded.source.valid_lock, lock.lock_path(loaded.document.path)
    if valid_lock is None:
        raise _no_lock(place, path)
    filled = lock.with_image_ids(valid_lock)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        place = out / lock.FILE_NAME
    is_written = out is not None or filled != valid_lock
    if is_written:
        lock.write(filled, place)
    if format_ == "json":
        show_json(_report(place, filled, is_written=is_written, matches=True))
        return 0
    old_ids = {(name, rung.label): rung.image.id for name, rung in valid_lock.rungs()}
    show_table(
        ("workload", "rung", "image", "id", "before"),
        [
            (name, rung.label, rung.image.name, rung.image.id or "–", _old_id(old_ids, name, rung))
            for name, rung in filled.rungs()
        ],
    )
    click.echo(f"{'wrote' if is_written else 'unchanged:'} {clean(str(place))}")
    return 0


def show(new_lock: lock.Lock, stack_check: StackCheck) -> None:
    """Print a lock: machines and images of every rung, oldest price, totals."""
    heading(f"{new_lock.file} of {clean(stack_check.stack.name)}, locked")
    show_table(
        ("workload", "rung", "machine", "zones", "image"),
        [
            (name, rung.label, rung.machine, ", ".join(rung.zones), rung.image.id or "no id yet")
            for name, rung in new_lock.rungs()
        ],
    )
    oldest_price = stack_check.quote.oldest
    oldest = f"; the oldest that a cap counts is of {oldest_price}" if oldest_price else ""
    per_run, kinds = new_lock.per_run, stack_check.quote.run_cost_kinds
    run = f", {format_money(per_run.ceiling)} a run for {kinds}" if per_run else ""
    bound = "least" if new_lock.unpriced else "most"
    hour, month = format_money(new_lock.per_hour.ceiling), format_money(new_lock.per_month.ceiling)
    rows = format_count(len(new_lock.rows), "price row") + clean(oldest)
    click.echo(wrap_text(f"{rows}; at {bound} {hour} an hour, {month} a month{run}", "  "))
    for missing in new_lock.unpriced:
        click.echo(f"unpriced: {clean(missing)}")


def _make(stack_check: StackCheck, old_lock: lock.Lock | None) -> lock.Lock:
    path = stack_check.document.path
    return lock.make(
        stack_check.stack,
        stack_check.plan,
        stack_check.source.terms(stack_check.as_of),
        file=path.name,
        prices=stack_check.source.prices_digest,
        old_lock=old_lock,
    )


def _existing_lock(stack_check: StackCheck, path: Path, *, update: bool) -> lock.Lock | None:
    """Return the existing lock; None if there is none, or `update` is set and it is unreadable.

    Raises:
        InputError: it can't be read, or is that of another stack file.
    """
    if not os.path.lexists(path):
        return None
    try:
        old = lock.read_lock(path)
    except InputError as error:
        if not update:
            raise
        note(f"the drift can't be shown: {error}")
        return None
    if old.file == stack_check.document.path.name:
        return old
    raise InputError.of(
        f"{path} is the lock of {old.file}",
        value=stack_check.document.path.name,
        fix="one folder has one locked stack file: move this one to its own folder",
    )


def _no_lock(place: Path, path: Path) -> RefusedError:
    message = f"there is no {place} of this stack file"
    return RefusedError(message, fix=f"`{command_line('lock', path)}` writes it")


def _hint(new_lock: lock.Lock, path: Path) -> None:
    if new_lock.unresolved_images:
        count = len(new_lock.unresolved_images)
        note(
            f"{count} image{'s have' if count > 1 else ' has'} no id yet, which `gpuinfra up` "
            f"to a cloud requires: {command_line('lock', path, '--resolve-images')}"
        )


def _old_id(old_ids: dict[tuple[str, str], str | None], name: str, rung: lock.LockedRung) -> str:
    old = old_ids.get((name, rung.label))
    return "as before" if old == rung.image.id else old or "–"


def _report(
    path: Path,
    reported_lock: lock.Lock | None,
    *,
    matches: bool,
    is_written: bool = False,
    changes: Sequence[lock.Change] = (),
    diff: comparing.Comparison | None = None,
) -> dict[str, object]:
    """Return the lock's state as documented in docs/json.md."""
    return {
        "lock": str(path) if reported_lock is not None else None,
        "matches": matches,
        "written": is_written,
        "changes": changes,
        "comparison": None if diff is None else compare.comparison_json(diff),
        "unresolved": [
            {"workload": name, "rung": rung.label, "image": rung.image.name}
            for name, rung in (reported_lock.unresolved_images if reported_lock else ())
        ],
        "per_hour": reported_lock and reported_lock.per_hour,
        "per_month": reported_lock and reported_lock.per_month,
        "per_run": reported_lock and reported_lock.per_run,
    }
