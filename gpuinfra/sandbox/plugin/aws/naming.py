"""The naming rules of AWS resource types; the tables give the sources."""

from gpuinfra.sandbox.plugin.facts import records
from gpuinfra.sandbox.plugin.naming import Naming

NAMING = records("aws", "naming", Naming)
