"""A page taken apart by Python's own HTML parser."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "input", "hr", "wbr"}


@dataclass
class Tag:
    name: str
    attributes: dict[str, str]
    parents: tuple[str, ...]
    text: str = ""


@dataclass
class Parsed(HTMLParser):
    """`tags` in order of their beginning, each with its text; `text` of the whole body."""

    tags: list[Tag] = field(default_factory=list)
    open_: list[Tag] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        there = Tag(
            tag,
            {name: value or "" for name, value in attrs},
            tuple(element.name for element in self.open_),
        )
        self.tags.append(there)
        if tag not in VOID:
            self.open_.append(there)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open_.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open_, f"</{tag}> closes nothing"
        assert self.open_[-1].name == tag, f"</{tag}> closes <{self.open_[-1].name}>"
        self.open_.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open_:
            element.text += data
        if self.open_ and self.open_[-1].name != "style":
            self.text += data

    def named(self, *names: str) -> list[Tag]:
        return [element for element in self.tags if element.name in names]

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        """Every element with the names of its attributes: what no text may change."""
        return [(element.name, tuple(element.attributes)) for element in self.tags]

    @property
    def words(self) -> str:
        return " ".join(self.text.split())


def parsed(page: str) -> Parsed:
    """A page taken apart; every element is closed where it has to be."""
    parser = Parsed()
    parser.feed(page)
    parser.close()
    assert parser.open_ == []
    return parser
