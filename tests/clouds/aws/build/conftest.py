"""The provider's SDK warns of its own deprecated classes while a module of it is first touched."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import gpuinfra.clouds.aws.build  # noqa: F401
