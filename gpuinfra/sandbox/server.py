"""``python -m gpuinfra.sandbox.server START``: moto on a loopback port until it is stopped."""

import gc
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from gpuinfra.sandbox.moto_patches import apply_caches, apply_patches
from gpuinfra.sandbox.sandbox_folder import (
    HEALTH_PATH,
    SERVER_FILE,
    read_json,
    sandbox_home,
    write_json,
)

_LOOK_SECONDS = 2.0

# What moto shall do as AWS does: know AWS's managed policies, refuse unknown machines and keys.
_MOTO_SETTINGS = {
    "MOTO_IAM_LOAD_MANAGED_POLICIES": "true",
    "MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION": "true",
    "MOTO_ENABLE_KEYPAIR_VALIDATION": "true",
}
_IMAGE_DEFAULTS = {
    "state": "available",
    "public": True,
    "root_device_type": "ebs",
    "image_type": "machine",
    "virtualization_type": "hvm",
    "hypervisor": "xen",
}

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def main(start: str) -> NoReturn:
    """Serve moto; `start` identifies this run, so that resources of other runs count as lost."""
    gc.disable()  # what is imported stays: to look through it again and again takes a third
    prepare()
    gc.freeze()
    gc.enable()
    serve(start)


def prepare() -> None:
    """Import moto with its settings, and apply patches, caches and data."""
    os.environ.update(_MOTO_SETTINGS)
    # moto reads its settings when it is imported.
    from moto.core.config import default_user_config  # noqa: PLC0415

    # A function that is called answers and runs nothing: there need not be a Docker here.
    default_user_config["lambda"]["use_docker"] = False  # pyright: ignore[reportTypedDictNotRequiredAccess]
    apply_patches()
    apply_caches()
    _seed_images()


def serve(start: str) -> NoReturn:
    """Serve until it is stopped; see `main`."""
    from moto.moto_server.werkzeug_app import (  # noqa: PLC0415
        DomainDispatcherApplication,
        create_backend_app,
    )
    from werkzeug.serving import make_server  # noqa: PLC0415

    app = _add_health_check(DomainDispatcherApplication(create_backend_app), start)
    server = make_server("127.0.0.1", 0, app, threaded=True)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C at a terminal is meant for the command
    state = {
        "start": start,
        "pid": os.getpid(),
        "endpoint": f"http://127.0.0.1:{server.server_port}",
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    path = sandbox_home() / SERVER_FILE
    write_json(path, state)
    threading.Thread(
        target=_until_forgotten, args=(path, start, server.shutdown), daemon=True
    ).start()
    server.serve_forever()
    os._exit(0)  # all state is in memory: tearing moto down would only take seconds


def _until_forgotten(path: Path, start: str, shutdown: Callable[[], None]) -> None:
    """Shut down a server whose file is gone or changed, or whose installation was removed.

    It can't be found when its file is gone or names another.
    """
    while (read_json(path) or {}).get("start") == start and _is_installed():
        time.sleep(_LOOK_SECONDS)
    shutdown()


def _is_installed() -> bool:
    """Return whether the server's environment still exists, since moto reads from it."""
    import moto  # noqa: PLC0415  with its settings made, see `prepare`

    return Path(moto.__file__).exists()


def _add_health_check(app: Wsgi, start: str) -> Wsgi:
    def answer(environ: dict[str, Any], respond: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == HEALTH_PATH:
            if not _is_installed():
                respond("410 Gone", [])
                return []
            respond("200 OK", [("Content-Type", "text/plain")])
            return [start.encode()]
        return app(environ, respond)

    return answer


def _seed_images() -> None:
    """Add current public images and their SSM parameters to moto's data."""
    from moto.ec2.models import amis  # noqa: PLC0415
    from moto.ssm.models import Parameter, ParameterDict  # noqa: PLC0415

    path = files("gpuinfra.sandbox").joinpath("data", "aws_images.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    for image in data["images"]:
        location = {"image_location": f"amazon/{image['name']}", "sriov": "simple"}
        amis.AMIS.append({**_IMAGE_DEFAULTS, **location, **image})
    load = ParameterDict._check_loading_status  # noqa: SLF001  moto's one hook for AWS's own names

    def check(self: Any, key: str) -> None:
        load(self, key)
        name = str(key or "")
        if name in data["parameters"] and not dict.get(self, name):
            entry = Parameter(  # type: ignore[abstract]  # moto makes them the same way
                account_id=self.account_id,
                name=name,
                value=data["parameters"][name],
                parameter_type="String",
                description="sandbox value",
                allowed_pattern=None,
                keyid=None,
                last_modified_date=datetime.now(UTC),
                version=1,
                data_type="text",
            )
            dict.__setitem__(self, name, [entry])

    ParameterDict._check_loading_status = check  # type: ignore[method-assign]  # noqa: SLF001


if __name__ == "__main__":
    main(sys.argv[1])
