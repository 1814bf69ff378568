"""A budget counts the stack alone, and each of its notices tells something."""

from collections.abc import Iterator

from tests.witnesses.aws.stack import Stack


def complaints(stack: Stack) -> Iterator[str]:
    """Budgets of more than the stack, and notices that are off or say the same twice.

    https://learn.microsoft.com/rest/api/consumption/budgets/create-or-update
    """
    for budget, inputs in stack.of("Budget"):
        if not inputs.get("filter"):
            yield f"{budget.key}: it counts the whole subscription"
        if "notifications" not in inputs:
            yield f"{budget.key}: it does not say who is told"
        told = [
            (one.get("threshold"), one.get("thresholdType", "Actual"))
            for one in (inputs.get("notifications") or {}).values()
        ]
        if len(set(told)) < len(told):
            yield f"{budget.key}: two notices say the same"
        for name, one in (inputs.get("notifications") or {}).items():
            if one.get("enabled") is not True:
                yield f"{budget.key}: the notice {name} is off"
