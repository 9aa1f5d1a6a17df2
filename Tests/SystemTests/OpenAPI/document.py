"""Whether a document is OpenAPI 3.1, and whether its examples are what its schemas say: document.py FILE EXAMPLES

EXAMPLES is the least number of examples that must be found. Prints what is wrong, and ends with 1 then."""

import json
import sys

import jsonschema
import openapi_spec_validator

GUARD = ")]}'\n"


def examples(holder):
    """Of a media type, a parameter or a header."""
    if "example" in holder:
        yield holder["example"]
    for example in holder.get("examples", {}).values():
        yield example["value"]


def holders(root, node, path=""):
    """Whatever has examples beside a schema, with its place and its kind."""
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
    """What of an example the schema is about."""
    if kind == "x-guarded-schema":
        assert example.startswith(GUARD), "the five bytes are missing"
        return [json.loads(example[len(GUARD) :])]
    if kind == "x-line-schema":
        return [json.loads(line) for line in example.splitlines()]
    return [example]


def events(text):
    """The names and data of the events of a stream that have data."""
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if "data" in fields:
            yield fields["event"], json.loads(fields["data"])


def cases(kind, schema, example):
    """Pairs of a schema and a value that an example is made of."""
    if kind == "x-event-schemas":
        return [(schema[name], value) for name, value in events(example)]
    return [(schema, value) for value in values(kind, example)]


def complaints(root, least):
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
    if checked < least:
        yield f"only {checked} examples were found"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        found = list(complaints(json.load(file), int(sys.argv[2])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
