"""AWS names per resource type; the tables name their sources."""

from gpuinfra.sandbox.plugin.facts import records
from gpuinfra.sandbox.plugin.naming import Naming

NAMING = records("aws", "naming", Naming)
