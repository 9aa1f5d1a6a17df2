"""Builds one static site of all articles:  python3 deploy/docs.py OUTPUT

The articles are written for GitHub, with relative links. This script copies each one into a documentation catalogue
beside OUTPUT, with links as DocC wants them, and converts the catalogue. README.md becomes the front page. The table in
its section "Documentation" gives the topic groups. A link to another file of the repository becomes its path.

DocC comes with Swift. The exit status is DocC's, for which a warning is an error, such as a link to a missing heading.
"""

import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FRONT = "README.md"
FOLDERS = ["Sources", "deploy", "proto"]
INDEX = "\n## Documentation\n"
FENCE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
# A code span, or a link or an image. Its text may have code spans.
SPAN = re.compile(
    r"(?P<code>(?P<ticks>`+)[^`].*?(?P=ticks))"
    r"|(?P<image>!?)\[(?P<text>(?:`[^`]*`|[^]`])*)\]\((?P<target>[^)\s]+)\)",
    re.DOTALL,
)


def name(path: str) -> str:
    """Returns the name of an article's page: "Ingest-Faults" of Sources/Ingest/Ingest.docc/Faults.md."""
    parts = [part for part in path.removesuffix(".md").split("/") if part != "Sources" and not part.endswith(".docc")]
    return "-".join(part for part in parts if part != "README") or "OnTheMap"


def headings(text: str) -> dict[str, str]:
    """Returns DocC's fragment of each heading by GitHub's anchor."""
    found = {}
    for title in re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found[anchor] = re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]|_", "", plain))
    return found


class Site:
    """The articles of the repository, and their catalogue."""

    def __init__(self, catalogue: Path) -> None:
        self.catalogue = catalogue
        paths = [path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")]
        visible = [FRONT] + sorted(path for path in paths if "/." not in path)
        self.articles = {path: (ROOT / path).read_text() for path in visible}
        self.headings = {path: headings(text) for path, text in self.articles.items()}

    def span(self, path: str, found: re.Match) -> str:
        """Returns a code span or a link of an article as DocC wants it."""
        if found["code"]:
            # DocC takes two backticks for the name of a symbol.
            return re.sub(r"^``([\w.]+)``$", r"`\1`", found["code"])
        text, (target, _, anchor) = found["text"], found["target"].partition("#")
        if re.match(r"\w+:", target):
            return found[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
        if found["image"]:
            shutil.copy(ROOT / target, self.catalogue)
            return f"![{text}]({posixpath.basename(target)})"
        if target in self.articles:
            fragment = self.headings[target].get(anchor, anchor)
            return f"[{text}](doc:{name(target)}{'#' + fragment if anchor else ''})"
        return f"`{target}`" if text.strip("`") in target else f"{text} (`{target}`)"

    def page(self, path: str) -> str:
        """Returns an article with its links as DocC wants them."""
        parts = FENCE.split(self.articles[path])
        for index in range(0, len(parts), 2):
            parts[index] = SPAN.sub(lambda found: self.span(path, found), parts[index])
        return "".join(parts)

    def topics(self) -> str:
        """Returns the topic groups: the rows of the front page's index, named by their first cell."""
        groups = ""
        index = self.articles[FRONT].partition(INDEX)[2].partition("\n## ")[0]
        for title, row in re.findall(r"^\| ([^|]+) \|(.+)\|$", index, re.MULTILINE):
            targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", row)]
            links = "".join(f"- <doc:{name(target)}>\n" for target in targets if target in self.articles)
            groups += f"\n### {title}\n\n{links}" if links else ""
        return f"\n## Topics\n{groups}"

    def write(self) -> None:
        """Writes the catalogue."""
        for path in self.articles:
            page = self.page(path)
            if path == FRONT:
                title, _, rest = page.partition("\n")
                page = f"{title}\n\n@Metadata {{\n  @TechnologyRoot\n}}\n{rest}{self.topics()}"
            (self.catalogue / f"{name(path)}.md").write_text(page)


def compiler() -> str:
    """Returns the path of DocC: beside Swift, or in PATH."""
    swift = Path(shutil.which("swift") or "swift").resolve()
    return shutil.which("docc", path=str(swift.parent)) or shutil.which("docc") or sys.exit("docc is missing")


def main() -> int:
    output = Path(sys.argv[1])
    catalogue = output.with_name(output.name + ".docc")
    for folder in (catalogue, output):
        shutil.rmtree(folder, ignore_errors=True)
    catalogue.mkdir(parents=True)
    Site(catalogue).write()
    command = [compiler(), "convert", str(catalogue), "--output-path", str(output), "--warnings-as-errors"]
    command += ["--fallback-display-name", "On The Map", "--fallback-bundle-identifier", "onthemap"]
    status = subprocess.run(command).returncode
    if status == 0:
        print(f"Run python3 -m http.server --directory {output}, then open http://localhost:8000/documentation/onthemap/")
    return status


if __name__ == "__main__":
    sys.exit(main())
