import subprocess
import sys


def test_finding_the_engine_loads_no_pulumi():
    code = (
        "import sys\n"
        "from gpuinfra.engine import contract, install\n"
        "install.status()\n"
        "assert not {'pulumi', 'grpc', 'semver'} & set(sys.modules)"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
