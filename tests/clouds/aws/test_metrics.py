import pytest

from gpuinfra.clouds.aws import metrics


@pytest.mark.parametrize("errors", [True, False])
def test_a_pool_s_series_have_the_group_s_name_alone(errors: bool) -> None:
    sent = metrics.pool_configuration(errors=errors)["metrics"]

    assert sent["namespace"] == metrics.NAMESPACE
    assert sent["append_dimensions"] == {metrics.DIMENSION: "${aws:AutoScalingGroupName}"}
    assert sent["aggregation_dimensions"] == [[metrics.DIMENSION]]
    assert ("statsd" in sent["metrics_collected"]) is errors


def test_a_run_s_series_have_stack_and_workload_and_no_other_is_paid_for() -> None:
    sent = metrics.run_configuration("llama", "trainer")["metrics"]
    gpus = sent["metrics_collected"]["nvidia_gpu"]

    assert sent["aggregation_dimensions"] == [list(metrics.RUN_DIMENSIONS)]
    assert gpus["append_dimensions"] == {"Stack": "llama", "Workload": "trainer"}
    assert gpus["drop_original_metrics"] == gpus["measurement"] == list(metrics.GPU_MEASUREMENTS)
    assert "append_dimensions" not in sent


def test_the_names_are_those_of_the_agent() -> None:
    assert {f"nvidia_smi_{name}" for name in metrics.GPU_MEASUREMENTS} == {
        metrics.UTILIZATION,
        metrics.MEMORY_USED,
        metrics.MEMORY_TOTAL,
    }


def test_errors_carry_the_same_dimensions() -> None:
    tags = metrics.error_tags("llama", "trainer").removeprefix("|#")

    assert [tag.split(":")[0] for tag in tags.split(",")] == list(metrics.RUN_DIMENSIONS)


def test_the_exporter_is_pinned() -> None:
    assert metrics.EXPORTER.rpartition(":")[2] == "4.6.0-4.8.3-distroless"
