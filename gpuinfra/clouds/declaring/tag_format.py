"""The format of a cloud's tags or labels."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpuinfra.errors import PathPart, Problem
from gpuinfra.records import record


@record
class TagFormat:
    """The format of a cloud's marks, either tags or labels.

    Attributes:
        own_prefix: the prefix of our own, which the caller can't set.
        tag_inputs: the inputs that hold marks, in the provider's spelling, with the key that tells
            the items apart where they are a list. The caller's marks join ours; any other list
            of the caller's replaces ours.
        word: the cloud's term for one.
    """

    own_prefix: str
    tag_inputs: Mapping[str, str]
    word: str = "tag"

    def reserved_tag_problems(
        self, key_path: tuple[PathPart, ...], tags: Any
    ) -> Iterator[Problem]:
        """Yield a problem for each caller's tag that would replace a gpuinfra tag."""
        for tag in tags if isinstance(tags, Mapping) else ():
            if isinstance(tag, str) and tag.lower().startswith(self.own_prefix):
                yield Problem(
                    message=f"{key_path[0]}: the {self.word} {tag!r} is reserved",
                    path=(*key_path, tag),
                    value=tag,
                    allowed=f"{self.word}s that do not start with {self.own_prefix}",
                    fix=f"rename the {self.word}; args.owner sets the owner",
                )
