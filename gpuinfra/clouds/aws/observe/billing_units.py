"""Price items and units of AWS resources other than machines."""

from typing import Final

ALARM: Final = "cloudwatch-alarm-standard"


DASHBOARD: Final = "cloudwatch-dashboard"


LOGS: Final = (("cloudwatch-logs-ingest", "GB"), ("cloudwatch-logs-archive", "GB-month"))


KEY: Final = (("kms-key", "key-month"), ("kms-requests", "10k-requests"))


TOPIC: Final = (("sns-requests", "1m-requests"),)


QUEUE: Final = (("sqs-requests", "1m-requests"),)


FUNCTION: Final = (("lambda-requests", "1m-requests"), ("lambda-duration", "GB-second"))


SCHEDULE: Final = (("scheduler-invocations", "1m-requests"),)


ACTION: Final = (("budget-action", "day"),)
"""What each kind of resource is billed by. The number of calls is not known. Nor is the number of
budget actions that an account has, of which the first two are free:
https://aws.amazon.com/aws-cost-management/aws-budgets/pricing/"""

BUDGETS_REGION: Final = "us-east-1"
"""Where AWS Budgets, which has no regions, is listed and called:
https://docs.aws.amazon.com/general/latest/gr/billing.html"""
