"""What the engine sends to a pack, written by hand."""

from pulumi.runtime.proto import analyzer_pb2 as proto

LATER = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""The engine's word for a text that only an update knows."""

SIGNATURE = "4dabf18193072939515e22adb298388d"

ACCEPTED = {"as_of": "2026-08-01", "prices": {"accept_outdated": True}}
"""Settings under which no price is too old."""

COMPONENTS = ("gpuinfra:", "acme:")
"""The types of components, of which the engine shows no provider."""


def secret(value):
    """A value that is marked as secret."""
    return {SIGNATURE: "1b47061264138c4ac30d75fd1eb44270", "value": value}


def asset(path):
    """A file as an input."""
    return {SIGNATURE: "c44067f5952c0a294b673a41bacd8c17", "path": path}


def urn(kind, name):
    return f"urn:pulumi:dev::proj::{kind}::{name}"


def provider(**inputs):
    """A provider; with other inputs it is another one, and has a URN of its own."""
    name = "-".join(map(str, inputs.values())) or "default"
    kind = "pulumi:providers:aws"
    made = proto.AnalyzerProviderResource(type=kind, urn=urn(kind, name), name=name)
    made.properties.update(inputs)
    return made


def shown(kind, name, inputs, *, parent=None, given=None, **options):
    """A resource before it is made."""
    made = proto.AnalyzeRequest(
        type=kind,
        urn=urn(kind, name),
        name=name,
        options=proto.AnalyzerResourceOptions(parent=parent or "", **options),
        provider=None if kind.startswith(COMPONENTS) else given or provider(region="us-east-1"),
    )
    made.properties.update(inputs)
    return made


def stack(kind, name, outputs, relations=(), parent=None, given=None):
    """A resource when all were registered."""
    made = proto.AnalyzerResource(
        type=kind,
        urn=urn(kind, name),
        name=name,
        parent=parent or "",
        provider=None if kind.startswith(COMPONENTS) else given or provider(region="us-east-1"),
    )
    made.properties.update(outputs)
    for key, urns in dict(relations).items():
        made.propertyDependencies[key].urns.extend(urns)
    return made


LEVELS = {proto.ADVISORY: "advisory", proto.MANDATORY: "mandatory"}


class Engine:
    """Shows a pack what the real engine shows, in its order, and collects what it reports."""

    def __init__(self, analyzer, config, *, dry_run):
        self.analyzer = analyzer
        self.dry_run = dry_run
        self.whole = {}
        analyzer.ConfigureStack(proto.AnalyzerStackConfigureRequest(dry_run=dry_run), None)
        self.configure({"settings": ACCEPTED, **config})
        self.levels = {}
        self.mistakes = self.start()

    def configure(self, config):
        request = proto.ConfigureAnalyzerRequest()
        listed = {
            policy.name: policy for policy in self.analyzer.GetAnalyzerInfo(None, None).policies
        }
        for name, given in config.items():
            entry = request.policyConfig[name]
            level = given.get("enforcementLevel") if isinstance(given, dict) else given
            own = listed[name].enforcementLevel if name in listed else proto.MANDATORY
            entry.enforcementLevel = proto.EnforcementLevel.Value(level.upper()) if level else own
            if isinstance(given, dict):
                rest = {key: value for key, value in given.items() if key != "enforcementLevel"}
                entry.properties.update(rest)
        self.analyzer.Configure(request, None)

    def start(self):
        self.whole.clear()
        return self.show("pulumi:pulumi:Stack", "proj-dev", {})

    def show(self, kind, name, inputs, outputs=None, sources=(), parent=None, **options):
        """Register a resource; gives what is held against it, by policy."""
        response = self.analyzer.Analyze(shown(kind, name, inputs, parent=parent, **options), None)
        relations = {key: [self.whole[name].urn] for key, name in dict(sources).items()}
        given = {**inputs, **(outputs or {})}
        self.whole[name] = stack(kind, name, given, relations, parent)
        return self._by_policy(response)

    def end(self):
        """Show the whole; gives what is held against it, by policy."""
        request = proto.AnalyzeStackRequest(resources=self.whole.values())
        return self._by_policy(self.analyzer.AnalyzeStack(request, None))

    def _by_policy(self, response):
        by_policy = {}
        for diagnostic in response.diagnostics:
            text = diagnostic.message.removeprefix(f"{diagnostic.description}\n")
            by_policy.setdefault(diagnostic.policyName, []).append(text)
            self.levels.setdefault(diagnostic.policyName, set()).add(
                LEVELS[diagnostic.enforcementLevel]
            )
        return by_policy
