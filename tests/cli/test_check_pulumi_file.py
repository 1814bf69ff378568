"""`gpuinfra check` of previews and states, as a user meets it."""

import json

import pytest

from tests.cli.documents import documented
from tests.price_overrides.rows import carried_row
from tests.pulumi_files.files import SECRET, SIGNATURE, digest, entry, put, state, step, urn
from tests.pulumi_files.recording import recorded

DAY = ("--as-of", "2026-11-21")
LOOSENS = "loosening: accepted\n"
BUDGET = "budget: {per_hour: 100, per_month: 60000}\n"


def instance(name="gpu", **inputs):
    return entry(name, id="i-1", inputs={"instanceType": "p5.48xlarge", **inputs})


def preview(*entries):
    return digest(*(step(urn=entry["urn"], newState=entry) for entry in entries))


def made_by_the_engine(resource):
    """Whether it is the stack's own row or a provider: no resource of the program."""
    return resource["type"].startswith(("pulumi:pulumi:", "pulumi:providers:"))


@pytest.fixture
def quickstart_state(tmp_path):
    return put(tmp_path, recorded("quickstart", "state.json"), "state.json")


def test_a_state_is_judged_as_a_stack_file_is(gpuinfra, quickstart_state):
    ran = gpuinfra("check", quickstart_state, *DAY)
    assert ran.code == 0
    assert ran.out.splitlines()[-1].startswith("PASS")
    count = sum(
        not made_by_the_engine(resource)
        for resource in json.loads(quickstart_state.read_text())["deployment"]["resources"]
    )
    assert f"{count} resources of pulumi stack export" in ran.out


def test_the_program_s_own_caps_hold_and_settings_only_tighten_them(
    gpuinfra, quickstart_state, tmp_path
):
    loose = put(tmp_path, f"budget: {{per_hour: 800}}\n{LOOSENS}", "loose.yaml")
    tight = put(tmp_path, "budget: {per_hour: 5}\n", "tight.yaml")
    assert gpuinfra("check", quickstart_state, "--settings", loose, *DAY).code == 0
    ran = gpuinfra("check", quickstart_state, "--settings", tight, *DAY)
    aged = "budget: {per_hour: 800}\nprices: {outdated_after_days: 30}\n"
    refused = put(tmp_path, aged, "refused.yaml")
    assert (
        "✗ price-outdated" in gpuinfra("check", quickstart_state, "--settings", refused, *DAY).out
    )
    assert ran.code == 1
    assert "above the cap of $5.00" in ran.out or "cap of 5.00" in ran.out


def test_no_cap_anywhere_is_violated(gpuinfra, tmp_path):
    ran = gpuinfra("check", put(tmp_path, preview(instance())), *DAY)
    assert ran.code == 1
    assert "✗ no-cap: shop/dev: no cap per hour or per month is set" in ran.out


def test_settings_say_the_budget_and_the_usage(gpuinfra, tmp_path):
    path = put(tmp_path, preview(instance()))
    text = (
        BUDGET
        + "prices: {accept_outdated: true}\n"
        + "resources: {gpu: {purpose: training, duration: 10h}}\n"
    )
    answer = json.loads(
        gpuinfra("check", path, "--settings", put(tmp_path, text, "s.yaml"), "--json", *DAY).out
    )
    assert answer["per_run"]["ceiling"] > 550
    by_rule = {finding["rule"]: finding["outcome"] for finding in answer["findings"]}
    assert by_rule["cap-per-hour"] == "fine"
    assert by_rule["cap-per-month"] == "fine"
    assert answer["kind"] == "digest"
    assert answer["resources"] == 1
    assert set(answer) == documented()["check"] | documented()["check FILE.json"]


def test_a_stack_file_may_say_it(gpuinfra, tmp_path, quickstart):
    path = put(tmp_path, preview(instance()))
    ran = gpuinfra("check", path, "--stack", quickstart / "stack.yaml", *DAY)
    assert ran.code == 1
    assert "cap-per-hour: shop/dev" in ran.out
    assert "cap of $8.00" in ran.out


def test_faults_of_settings_have_their_places(gpuinfra, tmp_path):
    text = "budget: {per_hour: lots}\nrulez: {}\nrules: {no-such-rule: {level: advisory}}\n"
    ran = gpuinfra(
        "check",
        put(tmp_path, preview(instance())),
        "--settings",
        put(tmp_path, text, "s.yaml"),
    )
    assert ran.code == 2
    assert "s.yaml:1:" in ran.err
    assert "s.yaml:2:1" in ran.err
    assert "s.yaml:3:" in ran.err
    assert "remove it: rules is set" in ran.err


def test_rule_settings_and_waivers_of_the_settings_hold(gpuinfra, tmp_path):
    path = put(tmp_path, preview(instance(associatePublicIpAddress=True)))
    waiver = "{rule: public-address, resource: gpu, reason: r, owner: me, until: 2026-12-31}"
    text = f"{BUDGET}rules: {{disk-encrypted: {{level: disabled}}}}\nwaivers: [{waiver}]\n"
    before = gpuinfra("check", path, "-v", *DAY).out
    after = gpuinfra("check", path, "-v", "--settings", put(tmp_path, text, "s.yaml"), *DAY).out
    assert "✗ public-address" in before
    assert "disk-encrypted" in before
    assert "~ public-address" in after
    assert "disk-encrypted" not in after


def test_what_is_not_judged_is_counted_by_type(gpuinfra, tmp_path):
    others = [entry(f"pod-{number}", "kubernetes:core/v1:Pod") for number in range(3)]
    path = put(tmp_path, preview(instance(), *others))
    assert "not judged: 3 of kubernetes:core/v1:Pod (-v" in gpuinfra("check", path, *DAY).out
    ran = gpuinfra("check", path, "-v", *DAY)
    assert "not judged: 3 × kubernetes:core/v1:Pod: its cluster is not in this stack" in ran.out
    answer = json.loads(gpuinfra("check", path, "--json", *DAY).out)
    assert answer["coverage"] == [
        {
            "type": "kubernetes:core/v1:Pod",
            "reason": "its cluster is not in this stack, or not all of its nodes are counted, so "
            "machines may be started for it",
            "count": 3,
        }
    ]


def test_a_stack_of_what_holds_no_machine_passes_and_says_how_much_it_did_not_check(
    gpuinfra, tmp_path
):
    tokens = ["random:index/randomId:RandomId", "aws:ecs/cluster:Cluster"]
    named = [entry(f"n{number}", token, inputs={}) for number, token in enumerate(tokens)]
    ran = gpuinfra("check", put(tmp_path, preview(*named)), *DAY)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "PASS")
    assert ", 2 not checked\n" in ran.out

    unknown = entry("pod", "runpod:index:Pod", inputs={})
    ran = gpuinfra("check", put(tmp_path, preview(*named, unknown)), *DAY)
    assert (ran.code, "price-unknown" in ran.out) == (1, True)


@pytest.mark.parametrize("told", [{}, {"custom": False}, {"custom": False, "provider": ""}])
def test_a_custom_resource_is_never_free_and_a_component_is(gpuinfra, tmp_path, told):
    pod = entry("pod", "runpod:index:Pod", inputs={"gpuCount": 8}, **told)
    ran = gpuinfra("check", put(tmp_path, preview(instance(), pod)), "-v", *DAY)
    assert ("not judged: 1 × runpod:index:Pod" in ran.out) is bool(told.get("provider", True))


def test_a_preview_of_components_alone_shows_nothing(gpuinfra, tmp_path):
    ours = entry("ours", "acme:index:Cluster", inputs={}, custom=False, provider="")
    ran = gpuinfra("check", put(tmp_path, preview(ours)), *DAY)
    assert ran.code == 2
    assert "the preview has no resources, so there is" in ran.err


def test_what_a_preview_takes_away_is_said(gpuinfra, tmp_path):
    path = put(tmp_path, digest(step("one"), step("two", "delete")))
    assert "they exist until the update deletes them: 1 × aws:ec2" in (
        gpuinfra("check", path, *DAY).out
    )


def test_plain_text_secrets_are_never_shown(gpuinfra, tmp_path):
    secret = {SIGNATURE: SECRET, "plaintext": json.dumps("p9.hunter22")}
    path = put(tmp_path, state(instance(instanceType=secret)))
    for options in ((), ("--json",), ("--format", "markdown"), ("--format", "sarif")):
        ran = gpuinfra("check", path, *options, *DAY)
        assert "hunter22" not in ran.out + ran.err
        assert ran.code == 1


def test_control_characters_are_kept_and_shown_escaped(gpuinfra, tmp_path):
    evil = "gpu\x1b[2J\u202e\x9b31m\ud800</script>"
    path = put(tmp_path, preview(instance(evil), entry("x\x07", "evil\x1b:a/b:C")))
    for options in ((), ("--json",), ("--format", "markdown"), ("--format", "junit")):
        ran = gpuinfra("check", path, *options, *DAY)
        assert ran.code == 1
        assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(ran.out + ran.err)
    answer = json.loads(gpuinfra("check", path, "--json", *DAY).out)
    subjects = {finding["subject"] for finding in answer["findings"]}
    assert urn(evil.replace("\ud800", "\ufffd")) in subjects


@pytest.mark.parametrize(
    ("content", "code"),
    [("{", 2), ('{"steps": [', 2), ('{"version": 3}', 2), ("[1]", 2), ('{"a": 1}', 2)],
)
def test_bad_input_is_no_traceback(gpuinfra, tmp_path, content, code):
    ran = gpuinfra("check", put(tmp_path, content), *DAY)
    assert ran.code == code
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert "fix:" in ran.err


def test_a_stack_file_written_as_json_is_one(gpuinfra, tmp_path):
    path = put(tmp_path, '{"version": 1, "name": "shop"}')
    ran = gpuinfra("check", path)
    assert ran.code == 2
    assert f"{path}:1:1: the stack has neither training nor inference nor buckets" in ran.err
    assert "allowed: training, inference, buckets\n" in ran.err


@pytest.mark.parametrize("option", ["--settings", "--stack"])
def test_a_stack_file_says_it_itself(gpuinfra, quickstart, option):
    ran = gpuinfra("check", quickstart, option, "s.yaml")
    assert ran.code == 2
    assert "a state; a stack file has its own" in ran.err


def test_settings_and_a_stack_file_are_not_both(gpuinfra, quickstart, quickstart_state):
    both = ("--settings", "s.yaml", "--stack", quickstart)
    assert gpuinfra("check", quickstart_state, *both).code == 2


def test_a_rung_means_nothing_to_a_preview(gpuinfra, quickstart_state):
    assert gpuinfra("check", quickstart_state, "--rung", "trainer=spot").code == 2


def test_the_program_s_rule_settings_are_judged_by_besides_those_given(
    gpuinfra, quickstart_state, tmp_path
):
    loose = put(tmp_path, f"rules: {{spot-share: {{minimum: 10%}}}}\n{LOOSENS}", "a.yaml")
    tight = put(tmp_path, "rules: {spot-share: {minimum: 90%}}\n", "b.yaml")
    assert gpuinfra("check", quickstart_state, "--settings", loose, *DAY).code == 0
    assert gpuinfra("check", quickstart_state, "--settings", tight, *DAY).code == 1


def test_the_stricter_of_the_program_s_and_the_given_rule_settings_refuses(gpuinfra, tmp_path):
    strict = put(tmp_path, recorded("quickstart", "state.json").replace('"40%"', '"90%"'))
    loose = put(tmp_path, f"rules: {{spot-share: {{minimum: 10%}}}}\n{LOOSENS}", "a.yaml")
    ran = gpuinfra("check", strict, "--settings", loose, *DAY)
    assert ran.code == 1
    assert "✗ spot-share" in ran.out
    disabled = put(tmp_path, f"rules: {{spot-share: {{level: disabled}}}}\n{LOOSENS}", "b.yaml")
    assert gpuinfra("check", strict, "--settings", disabled, *DAY).code == 0


def test_a_stack_file_tells_what_its_workloads_resources_do_not_show(
    gpuinfra, tmp_path, quickstart
):
    document = json.loads(recorded("quickstart", "state.json"))
    document["deployment"]["resources"] = [
        resource
        for resource in document["deployment"]["resources"]
        if resource["type"] != "gpuinfra:index:Stack"
    ]
    path = put(tmp_path, document)
    ran = gpuinfra("check", path, "--stack", quickstart / "stack.yaml", "--json", *DAY)
    by_rule = {finding["rule"]: finding["outcome"] for finding in json.loads(ran.out)["findings"]}
    assert by_rule["cap-per-run"] == "fine"
    assert by_rule["spot-checkpoints"] == "fine"
    assert ran.code == 0


def test_settings_tell_the_region_that_the_file_does_not(gpuinfra, tmp_path):
    path = put(tmp_path, {**preview(instance()), "config": {}})
    settings = put(tmp_path, f"{BUDGET}region: us-east-1\n", "s.yaml")
    assert "✓ price-unknown" not in gpuinfra("check", path, "-v", *DAY).out
    assert "✓ price-unknown" in gpuinfra("check", path, "-v", "--settings", settings, *DAY).out


def test_what_the_preview_could_not_write_down_is_not_judged_and_unpriced(gpuinfra, tmp_path):
    made = step("two")
    del made["newState"]
    ran = gpuinfra("check", put(tmp_path, digest(step("one"), made)), "-v", *DAY)
    assert "not judged: 1 × aws:ec2/instance:Instance: the preview has no state" in ran.out
    assert "✗ price-unknown" in ran.out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "preview.json is empty"),
        ("error: no Pulumi.yaml project file found\n", "preview.json is not JSON"),
        ('{"a": 1', "preview.json:1:8: the file ends too early"),
    ],
)
@pytest.mark.parametrize("has_settings", [True, False])
def test_what_a_failed_preview_leaves_is_no_stack_file(
    gpuinfra, tmp_path, content, message, has_settings
):
    settings = ("--settings", put(tmp_path, BUDGET, "settings.yaml")) if has_settings else ()
    ran = gpuinfra("check", put(tmp_path, content, "preview.json"), *settings, *DAY)
    words = " ".join(ran.err.split())
    assert ran.code == 2
    assert message in words
    assert "create the file again: pulumi preview --json --show-sames > preview.json" in words
    assert "init" not in words


def test_prices_beside_the_settings_price_machines_that_no_table_has(gpuinfra, tmp_path):
    where = {"availabilityZone": "us-east-1a", "instanceType": "mac2.metal"}
    shown = put(tmp_path, preview(instance(**where)))
    settings = put(tmp_path, BUDGET, "settings.yaml")
    before = gpuinfra("check", shown, "--settings", settings, *DAY)
    told = "prices: [{cloud: aws, machine: mac2.metal, region: us-east-1, per_hour: …}]"
    assert told in before.out
    assert "Instance gpu: no on-demand price for mac2.metal in us-east-1" in before.out
    put(tmp_path, f"version: 1\n{told.replace('…', '0.0104')}\n", "prices.yaml")
    after = gpuinfra("check", shown, "-v", "--settings", settings, *DAY)
    assert (
        "✓ price-unknown: shop/dev: every price is known; your own prices: mac2.metal" in after.out
    )
    few = told.replace("…", "0.0104, covers: 1")
    put(tmp_path, f"version: 1\n{few}\n", "prices.yaml")
    two = put(tmp_path, preview(instance("a", **where), instance("b", **where)), "two.json")
    ran = gpuinfra("check", two, "--settings", settings, *DAY)
    assert ran.code == 2
    assert "covers 1 × mac2.metal, and the stack may have 2" in ran.err


def test_a_machine_whose_type_is_not_known_yet_is_told_so_once(gpuinfra, tmp_path):
    shown = put(tmp_path, preview(instance(instanceType="04da6b54-80e4-46f7-96ec-b56ff0331ba9")))
    ran = gpuinfra("check", shown, *DAY)
    (line,) = [line for line in ran.out.splitlines() if line.startswith("✗ price-unknown")]
    assert line.endswith(
        "aws:ec2/instance:Instance gpu: no price is known: its machine type is not known yet"
    )
    assert "1 resource of pulumi preview --json" in ran.out


def test_words_about_nothing_in_the_stack_are_told(gpuinfra, tmp_path):
    shown = put(tmp_path, preview(instance()))
    words = (
        "resources: {nosuch: {purpose: training}, gpu: {purpose: training}}\n"
        'rules: {open-login: {workloads: {"zzz*": {level: advisory}, "g*": {level: advisory}}}}\n'
    )
    settings = put(tmp_path, BUDGET + words, "settings.yaml")
    ran = gpuinfra("check", shown, "--settings", settings, *DAY)
    told = [line.strip() for line in ran.out.splitlines() if "no resource named" in line]
    assert told == [
        "no resource named nosuch; its entry is ignored",
        "no resource named zzz*; `rules.open-login` is ignored",
    ]


def test_settings_for_a_resource_with_brackets_are_not_idle(gpuinfra, tmp_path):
    path = put(tmp_path, preview(instance("nodes[0]", associatePublicIpAddress=True)))
    text = 'rules: {public-address: {workloads: {"nodes[0]": {level: disabled}}}}\n'
    ran = gpuinfra("check", path, "--settings", put(tmp_path, text, "s.yaml"), *DAY)

    assert "public-address: instance" not in ran.out
    assert "no resource named" not in ran.out


OWN = carried_row("0.5", "an offer")


@pytest.mark.parametrize(("budget", "counts"), [("", True), ("budget: {per_hour: 30}\n", False)])
def test_a_program_s_own_prices_do_not_lower_what_a_cap_beside_it_is_for(
    gpuinfra, tmp_path, budget, counts
):
    own = {"budget": {"perHour": 30}, "prices": {"acceptOutdated": True}, "ownPrices": [OWN]}
    root = entry("shop", "gpuinfra:index:Stack", inputs=own, custom=False, provider="")
    path = put(tmp_path, preview(root, instance()))
    settings = put(tmp_path, f"{budget}region: us-east-1\n{LOOSENS}", "s.yaml")
    answer = json.loads(gpuinfra("check", path, "--settings", settings, "--json", *DAY).out)
    outcomes = [
        finding["outcome"] for finding in answer["findings"] if finding["rule"] == "cap-per-hour"
    ]

    assert outcomes == ["fine" if counts else "violated"]
