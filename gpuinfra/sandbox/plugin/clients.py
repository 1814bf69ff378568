"""boto3 clients at the sandbox's moto, one per service and region."""

from threading import Lock
from typing import Any

from gpuinfra.sandbox.place import SERVER_FILE, home, read_json
from gpuinfra.sandbox.plugin.contract import CloudRefusalError

NO_SERVER = "SandboxServerGone"


class Clients:
    """Makes clients when first asked; the endpoint comes from the sandbox's own server file."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], Any] = {}
        self._lock = Lock()

    def server(self) -> str:
        """The id of the running server's start; empty when none was started."""
        return str((read_json(home() / SERVER_FILE) or {}).get("start", ""))

    def get(self, service: str, region: str) -> Any:
        """The client; raises CloudRefusalError when no server was started."""
        with self._lock:
            key = (service, region)
            if key not in self._made:
                self._made[key] = self._make(service, region)
            return self._made[key]

    def _make(self, service: str, region: str) -> Any:
        import boto3  # noqa: PLC0415  0.2 s that a program without moto resources need not wait
        from botocore.config import Config  # noqa: PLC0415

        server = read_json(home() / SERVER_FILE)
        if server is None:
            raise CloudRefusalError(NO_SERVER, gone_message(0))
        return boto3.client(
            service,
            region_name=region,
            endpoint_url=server["endpoint"],
            aws_access_key_id="sandbox",
            aws_secret_access_key="sandbox",  # noqa: S106  moto looks at none
            config=Config(
                retries={"max_attempts": 2},
                s3={"addressing_style": "path"},
                max_pool_connections=64,
            ),
        )


def gone_message(lost: int) -> str:
    """What to say when the server is not there, with how many resources went with it."""
    went = f" and with it {lost} resources that stood in moto" if lost else ""
    return (
        f"the sandbox's server is gone{went}. Start it with `gpuinfra sandbox start`; "
        "then `pulumi refresh` forgets what is lost, or `gpuinfra sandbox reset` forgets all"
    )
