"""Caches for what moto 5.2.5 recomputes: without them a request takes nearly twice as long."""

from functools import cache


def apply_caches() -> None:
    """Patch moto in this process before it serves."""
    _names_of_services()
    _names_of_actions()
    _loader_of_models()
    _keys_of_used_partitions()


def _names_of_services() -> None:
    """List moto's folders once, not in every request (moto/backends.py)."""
    from moto import backends  # noqa: PLC0415

    names = tuple(backends.list_of_moto_modules())
    backends.list_of_moto_modules = lambda: names


def _names_of_actions() -> None:
    """List the methods of a response class once, not in every request (moto/core/responses.py)."""
    from moto.core import responses, utils  # noqa: PLC0415

    names = cache(utils.method_names_from_class)
    responses.method_names_from_class = names  # type: ignore[attr-defined]


def _loader_of_models() -> None:
    """Read which services botocore has once, not for every service (moto/core/utils.py)."""
    from moto.core import loaders, utils  # noqa: PLC0415

    utils.create_loader = cache(loaders.create_loader)  # type: ignore[attr-defined]


def _keys_of_used_partitions() -> None:
    """Look for an access key in the partitions that have been used.

    moto looks in all six, and makes each with 1,500 managed policies for that
    (moto/iam/models.py, `get_account_id_from`).
    """
    from moto.core.models import DEFAULT_ACCOUNT_ID  # noqa: PLC0415
    from moto.iam import models  # noqa: PLC0415

    def account_of(access_key: str) -> str:
        for account, backends in list(models.iam_backends.items()):
            if any(access_key in backend.access_keys for backend in list(backends.values())):
                return account
        return DEFAULT_ACCOUNT_ID

    models.get_account_id_from = account_of
