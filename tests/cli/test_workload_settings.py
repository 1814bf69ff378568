"""Settings of a rule for one workload, as a user meets them."""

DAY = ("--as-of", "2026-11-21")


def settings(text):
    return ("\nrules:\n", f"\nrules:\n  {text}\n")


def test_a_misspelt_workload_is_named_with_its_place(gpuinfra, stack):
    path = stack(settings("public-address: {workloads: {char: {level: advisory}}}"))
    ran = gpuinfra("check", path, *DAY)

    assert ran.code == 2
    assert f"{path}:38:32: unknown workload" in ran.err
    assert "did you mean" in ran.err


def test_workloads_that_faults_hide_are_not_called_missing(gpuinfra, stack):
    rule = settings("public-address: {workloads: {chat: {level: advisory}}}")
    ran = gpuinfra("check", stack(rule, ("scale_on:", "scales_on:")), *DAY)

    assert ran.code == 2
    assert "scales_on" in ran.err
    assert "unknown workload" not in ran.err


def test_the_cap_of_the_stack_cannot_be_lowered_for_a_workload(gpuinfra, stack):
    rule = settings("cap-per-hour: {workloads: {chat: {level: disabled}}}")
    ran = gpuinfra("check", stack(rule), *DAY)

    assert ran.code == 2
    assert "the rule cap-per-hour can't be set to disabled" in ran.err
