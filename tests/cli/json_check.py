#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether lines on standard input are what the schema says.

Usage: json_check.py SCHEMA DEFINITION [whole]

Each line (with "whole", all of the input) has to be an object of DEFINITION.
With "each" for DEFINITION its name is the first word of the line.  With "none",
too, and no line may be what the schema says.
Stricter than the schema is for those who read such lines: a member that it does
not name is a mistake, too.  Knows the few keywords that our schema uses, and
refuses others; asks the module jsonschema as well if it is there.
"""

import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "null": type(None)}
KNOWN = {"type", "required", "properties", "additionalProperties", "items",
         "enum", "const", "minimum", "anyOf", "$ref", "description"}


def is_of_type(value, name):
    if name == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool) or name in ("integer", "number"):
        return not isinstance(value, bool) and isinstance(
            value, int if name == "integer" else (int, float))
    return isinstance(value, TYPES[name])


def members(schema, value, where, definitions):
    known = schema.get("properties", {})
    rest = schema.get("additionalProperties")
    for name in schema.get("required", ()):
        if name not in value:
            yield "%s: no member %s" % (where, name)
    for name, member in value.items():
        place = "%s.%s" % (where, name)
        if name in known:
            yield from mistakes(known[name], member, place, definitions)
        elif isinstance(rest, dict):
            yield from mistakes(rest, member, place, definitions)
        else:
            yield "%s: not in the schema" % place


def mistakes(schema, value, where, definitions):
    """What is wrong with VALUE."""
    if not KNOWN >= set(schema):
        sys.exit("%s: keywords %s" % (where, set(schema) - KNOWN))
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/$defs/")]
    if "anyOf" in schema:
        found = [list(mistakes(one, value, where, definitions))
                 for one in schema["anyOf"]]
        if all(found):
            yield from min(found, key=len)
        return
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_of_type(value, one) for one in types):
        yield "%s: %r is no %s" % (where, value, " or ".join(types))
        return
    if value not in schema.get("enum", [value]):
        yield "%s: %r is none of %s" % (where, value, schema["enum"])
    if value != schema.get("const", value):
        yield "%s: %r is not %r" % (where, value, schema["const"])
    if "minimum" in schema and value < schema["minimum"]:
        yield "%s: %r is too small" % (where, value)
    if isinstance(value, dict):
        yield from members(schema, value, where, definitions)
    for index, item in enumerate(value if isinstance(value, list) else ()):
        yield from mistakes(schema["items"], item,
                            "%s[%d]" % (where, index), definitions)


def by_module(document, name, value):
    try:
        import jsonschema
    except ImportError:
        return
    whole = dict(document, anyOf=[{"$ref": "#/$defs/" + name}])
    validator = jsonschema.validators.validator_for(whole)
    validator.check_schema(whole)
    for error in validator(whole).iter_errors(value):
        yield "jsonschema: " + error.message[:200]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    name = sys.argv[2]
    text = sys.stdin.read()
    lines = [text] if "whole" in sys.argv[3:] else text.splitlines()
    if not lines:
        sys.exit("%s: nothing to check" % name)
    wrong = []
    for line in lines:
        if sys.argv[2] in ("each", "none"):
            name, line = line.split(" ", 1)
        value = json.loads(line)
        found = list(mistakes(document["$defs"][name], value, name,
                              document["$defs"]))
        found += by_module(document, name, value)
        if sys.argv[2] == "none":
            found = [] if found else ["not found: %s %s" % (name, line)]
        wrong += found
    sys.exit("\n".join(wrong[:9]) or 0)


if __name__ == "__main__":
    main()
