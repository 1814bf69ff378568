"""What the previews of small programs share: a project, a region, a resource without its SDK."""

PROJECT = "name: town\nruntime: python\n"
REGION = {"aws:region": "us-east-1"}
RAW = """
import pulumi
class Raw(pulumi.CustomResource):
    def __init__(self, type_, name, **props):
        super().__init__(type_, name, {**props, "arn": None, "id": None})
"""
"""A resource of any type without its SDK, which takes seconds to import."""


def by_name(shown):
    return {resource.name: resource for resource in shown.resources}
