"""Checks that a document is valid OpenAPI 3.1, and that its examples match its schemas: document.py FILE EXAMPLES

EXAMPLES is the minimum number of examples in the document. Prints each error. Exits with 1 if there is one."""

import json
import sys

import jsonschema
import openapi_spec_validator

GUARD = ")]}'\n"


def examples(holder):
    """Yields the examples of a media type, a parameter or a header."""
    if "example" in holder:
        yield holder["example"]
    for example in holder.get("examples", {}).values():
        yield example["value"]


def holders(root, node, path=""):
    """Yields each node with examples beside a schema: its path, the kind of its schema, and the node."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from holders(root, item, f"{path}/{index}")
    if not isinstance(node, dict):
        return
    for kind in ("x-guarded-schema", "x-line-schema", "x-event-schemas", "schema"):
        if kind in node:
            yield path, kind, node
            break
    for name, item in node.items():
        if name not in ("example", "examples", "value"):
            yield from holders(root, item, f"{path}/{name}")


def values(kind, example):
    """Returns the values of an example that the schema describes."""
    if kind == "x-guarded-schema":
        assert example.startswith(GUARD), "the five bytes are missing"
        return [json.loads(example[len(GUARD) :])]
    if kind == "x-line-schema":
        return [json.loads(line) for line in example.splitlines()]
    return [example]


def events(text):
    """Yields the name and data of each event of a stream that has data."""
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if "data" in fields:
            yield fields["event"], json.loads(fields["data"])


def cases(kind, schema, example):
    """Returns the values of an example, each with its schema."""
    if kind == "x-event-schemas":
        return [(schema[name], value) for name, value in events(example)]
    return [(schema, value) for value in values(kind, example)]


def errors(root, examples_min):
    """Yields a text for each error of the document."""
    try:
        openapi_spec_validator.OpenAPIV31SpecValidator(root).validate()
    except openapi_spec_validator.validation.exceptions.OpenAPIValidationError as error:
        yield f"/{'/'.join(map(str, error.absolute_path))}: {error.message}"
    checked = 0
    for path, kind, holder in holders(root, {"paths": root["paths"], "components": root["components"]}):
        for example in examples(holder):
            for schema, value in cases(kind, holder[kind], example):
                checked += 1
                validator = jsonschema.Draft202012Validator({**schema, "components": root["components"]})
                for error in validator.iter_errors(value):
                    yield f"{path}: {error.message}"
    for name, schema in root["components"]["schemas"].items():
        validator = jsonschema.Draft202012Validator({**schema, "components": root["components"]})
        for example in schema.get("examples", []):
            checked += 1
            for error in validator.iter_errors(example):
                yield f"/components/schemas/{name}: {error.message}"
    if checked < examples_min:
        yield f"only {checked} examples were found"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        found = list(errors(json.load(file), int(sys.argv[2])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
