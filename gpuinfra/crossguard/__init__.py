"""The policy door: turns rules into CrossGuard policies that judge any Pulumi stack."""

from gpuinfra.crossguard.policies import pack

__all__ = ["pack"]
