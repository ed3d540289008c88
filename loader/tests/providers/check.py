"""What the providers refuse, stated on its own: reads definitions, says what is wrong with them.

A line of JSON on standard input for each list, {"id", "form", "tools"}; with "plant": true known faults are planted
into it one by one. A line on standard output for each, {"id", "faults": [...]}; for planted ones
{"id", "faults", "planted": count, "missed": [...]}. Needs nothing but Python.
"""

import copy
import json
import re
import sys

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}\Z")
ANTHROPIC_KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")
TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")

NOTES = {"title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly",
         "contentEncoding", "contentMediaType"}
BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
OF_TYPE = {
    "object": {"properties", "required", "additionalProperties", "minProperties", "maxProperties"},
    "array": {"items", "minItems", "maxItems", "uniqueItems"},
    "string": {"minLength", "maxLength", "pattern", "format"},
    "integer": BOUNDS,
    "number": BOUNDS,
}
PLAIN = NOTES | set().union(*OF_TYPE.values()) | {"type", "enum", "const", "anyOf", "$ref"}
NUMBER_FORMATS = re.compile(r"u?int\d*\Z|float\Z|double\Z")

STRICT = {"type", "title", "description", "properties", "required", "additionalProperties", "items", "enum",
          "anyOf", "$ref", "pattern", "format", "minItems", "maxItems"} | BOUNDS
STRICT_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

GEMINI = {"type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems",
          "properties", "required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern",
          "minimum", "maximum", "anyOf", "default", "example", "propertyOrdering"}

# Under which keywords of JSON Schema other schemas stand: by name, or else.
MAPS = {"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"}
INNER = {"items", "prefixItems", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "contains", "propertyNames",
         "additionalProperties", "additionalItems", "unevaluatedItems", "unevaluatedProperties"}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_count(value):
    return is_number(value) and value >= 0 and value == int(value)


# What JSON Schema's own schema says of its keywords' values.
VALUES = {
    **{key: lambda value: isinstance(value, str) for key in
       ("title", "description", "format", "pattern", "contentEncoding", "contentMediaType", "$ref")},
    **{key: lambda value: isinstance(value, bool) for key in ("deprecated", "readOnly", "writeOnly", "uniqueItems")},
    **{key: is_number for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")},
    **{key: is_count for key in ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")},
    **{key: lambda value: isinstance(value, list) for key in ("examples", "enum", "anyOf", "required")},
    "multipleOf": lambda value: is_number(value) and value > 0,
    "properties": lambda value: isinstance(value, dict),
}


class Report:
    def __init__(self):
        self.faults = []

    def __call__(self, holds, at, what):
        if not holds:
            self.faults.append(f"{at or '/'}: {what}")
        return holds


def children(schema):
    for name, child in (schema.get("properties") or {}).items():
        yield f"/properties/{name}", child
    for key in ("items", "additionalProperties"):
        if key in schema and not (key == "additionalProperties" and isinstance(schema[key], bool)):
            yield f"/{key}", schema[key]
    for index, child in enumerate(schema.get("anyOf") or []):
        yield f"/anyOf/{index}", child


def root_of(schema, say):
    """The rules of every root, and its definitions."""
    if not say(isinstance(schema, dict), "", "parameters are no object"):
        return {}, {}
    say(schema.get("type") == "object", "", "the root is not of type object")
    for key in ("oneOf", "anyOf", "allOf", "enum", "not", "const", "$ref"):
        say(key not in schema, "", f"`{key}` at the root")
    say(isinstance(schema.get("properties"), dict), "", "the root has no properties")
    say("x-toolrack" not in json.dumps(schema), "", "a mark that is our own")
    definitions = schema.get("$defs", {})
    say(isinstance(definitions, dict), "/$defs", "no object")
    return {key: value for key, value in schema.items() if key != "$defs"}, definitions


def shared(schema, definitions, at, say, allowed):
    """The rules of one schema that the plain and the strict form share; false if there is nothing to walk into."""
    if not say(isinstance(schema, dict), at, f"no schema: {schema!r}"):
        return False
    for key in schema:
        say(key in allowed or key.startswith("x-"), at, f"`{key}`")
    for key, value in schema.items():
        say(key not in VALUES or VALUES[key](value), at, f"`{key}` of {value!r}")
    if "$ref" in schema:
        say(len(schema) == 1, at, "something beside `$ref`")
        reference = schema["$ref"]
        known = isinstance(reference, str) and reference.startswith("#/$defs/") and reference[8:] in definitions
        say(known, at, f"`$ref` to {reference!r}, which is not there")
        return False
    kind = schema.get("type")
    say(kind is None or isinstance(kind, str) and kind in TYPES, at, f"type {kind!r}")
    if kind == "object":
        say(isinstance(schema.get("properties"), dict), at, "an object without properties")
    if kind == "array":
        say("items" in schema, at, "an array without items")
    for of, keys in OF_TYPE.items():
        if isinstance(kind, str) and kind != of and not (of in ("integer", "number") and kind in ("integer", "number")):
            for key in keys - OF_TYPE.get(kind, set()):
                say(key not in schema, at, f"`{key}` of a {kind}")
    if "required" in schema:
        names = schema["required"]
        if say(isinstance(names, list), at, "required is no list"):
            say(len(set(map(str, names))) == len(names), at, "a name is required twice")
            for name in names:
                say(name in (schema.get("properties") or {}), at, f"required {name!r} is not there")
    if "anyOf" in schema:
        say(isinstance(schema["anyOf"], list) and schema["anyOf"], at, "an empty union")
    if "enum" in schema:
        say(isinstance(schema["enum"], list) and schema["enum"], at, "an empty enum")
    return True


def plain(schema, say):
    root, definitions = root_of(schema, say)

    def walk(schema, at):
        if not shared(schema, definitions, at, say, PLAIN):
            return
        kind = schema.get("type")
        for variant in schema.get("anyOf") or []:
            say(not isinstance(variant, dict) or variant.get("type") != "null", at, "null is a variant")
        if "required" in schema:
            say(schema["required"], at, "required is empty")
        say(not NUMBER_FORMATS.match(str(schema.get("format", ""))), at, "a format of numbers")
        if kind not in (None, "null"):
            say(schema.get("default", 0) is not None, at, "null is the default")
        for where, child in children(schema):
            walk(child, at + where)

    walk(root, "")
    for name, definition in definitions.items():
        walk(definition, f"/$defs/{name}")


def strict(schema, say):
    root, definitions = root_of(schema, say)
    count = {"properties": 0, "values": 0, "chars": 0}

    def walk(schema, at, level):
        if not shared(schema, definitions, at, say, STRICT):
            return
        kind = schema.get("type")
        say(kind or "anyOf" in schema, at, "no type")
        if kind == "object":
            level += 1
            say(level <= 10, at, "more than 10 levels")
            say(schema.get("additionalProperties") is False, at, "additionalProperties is not false")
            properties = schema.get("properties") or {}
            count["properties"] += len(properties)
            count["chars"] += sum(map(len, properties))
            # What the client library's own function would make of it.
            say(schema.get("required") == list(properties), at, "not every property is required")
        say(not schema.keys() & {"oneOf", "allOf", "not"}, at, "a combiner")
        for value in schema.get("enum") or []:
            count["values"] += 1
            count["chars"] += len(value) if isinstance(value, str) else 0
            say(fits(value, {"type": kind}, {}), at, f"{value!r} is no {kind}")
        say("format" not in schema or schema["format"] in STRICT_FORMATS, at, "an unknown format")
        say("(?=" not in schema.get("pattern", "") and "(?!" not in schema.get("pattern", ""), at, "a look-around")
        for where, child in children(schema):
            walk(child, at + where, level)

    walk(root, "", 0)
    for name, definition in definitions.items():
        walk(definition, f"/$defs/{name}", 0)
    say(count["properties"] <= 5000, "", "more than 5000 properties")
    say(count["values"] <= 1000, "", "more than 1000 values")
    say(count["chars"] <= 120000, "", "more than 120000 characters of names")


def quirks(schema, say, at=""):
    if not isinstance(schema, dict):
        return
    say("pattern" not in schema and "format" not in schema, at, "pattern or format")
    for value in [*(schema.get("enum") or []), schema.get("const")]:
        say(not isinstance(value, str) or "/" not in value, at, "a value with `/`")
    for where, child in [*children(schema), *(schema.get("$defs") or {}).items()]:
        quirks(child, say, at + where)


def legal_keys(schema, say, at=""):
    if not isinstance(schema, dict):
        return
    for key in schema.get("properties") or {}:
        say(ANTHROPIC_KEY.match(key), at, f"the key {key!r}")
    for where, child in [*children(schema), *(schema.get("$defs") or {}).items()]:
        legal_keys(child, say, at + where)


def gemini(schema, say):
    if not say(isinstance(schema, dict), "", "parameters are no object"):
        return
    say(schema.get("type") == "object", "", "the root is not of type object")
    say(schema.get("properties"), "", "an object without properties: parameters are to be left out")

    def walk(schema, at):
        if not say(isinstance(schema, dict), at, f"no schema: {schema!r}"):
            return
        for key in schema:
            say(key in GEMINI, at, f"`{key}`")
        if "anyOf" in schema:
            say(set(schema) == {"anyOf"}, at, "something beside anyOf")
            say(len(schema["anyOf"]) > 1, at, "a union of one")
        else:
            say(schema.get("type") in TYPES, at, f"type {schema.get('type')!r}")
        kind = schema.get("type")
        if "enum" in schema:
            values = schema["enum"]
            say(values and kind == "string" and all(isinstance(value, str) for value in values), at, "an enum of others")
        say("properties" not in schema or kind == "object" and schema["properties"], at, "properties of none")
        say(kind != "array" or "items" in schema, at, "an array without items")
        say("items" not in schema or kind == "array", at, "items of none")
        say(schema.get("format", "date-time") == "date-time", at, "an unknown format")
        say(schema.get("nullable", True) is True, at, "nullable")
        for name in schema.get("required", []):
            say(name in schema.get("properties", {}), at, f"required {name!r} is not there")
        for key in ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"):
            say(is_count(schema.get(key, 0)) and isinstance(schema.get(key, 0), int), at, f"{key} is no whole number")
        for key in ("minimum", "maximum"):
            say(is_number(schema.get(key, 0)), at, f"{key} is no number")
        for where, child in children({**schema, "additionalProperties": False}):
            walk(child, at + where)

    walk(schema, "")


def fits(value, schema, definitions):
    """Whether a value fits a plain schema; as much of JSON Schema as that has."""
    if "$ref" in schema:
        return fits(value, definitions[schema["$ref"][8:]], definitions)
    is_of = {
        "null": value is None, "boolean": isinstance(value, bool), "string": isinstance(value, str),
        "array": isinstance(value, list), "object": isinstance(value, dict),
        "number": isinstance(value, (int, float)) and not isinstance(value, bool),
        "integer": isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value),
    }
    if "type" in schema and not is_of[schema["type"]]:
        return False
    if "enum" in schema and value not in schema["enum"] or "const" in schema and value != schema["const"]:
        return False
    if "anyOf" in schema and not any(fits(value, variant, definitions) for variant in schema["anyOf"]):
        return False
    if is_of["object"]:
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        if not all(name in value for name in schema.get("required", [])):
            return False
        for key, item in value.items():
            inner = properties.get(key, others)
            if inner is False or isinstance(inner, dict) and not fits(item, inner, definitions):
                return False
        return schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", len(value))
    if is_of["array"]:
        return (all(fits(item, schema.get("items", {}), definitions) for item in value)
                and schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)))
    if is_of["string"]:
        return (schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
                and re.search(schema.get("pattern", ""), value) is not None)
    if is_of["number"]:
        return (schema.get("minimum", value) <= value <= schema.get("maximum", value)
                and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
                and ("exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"]))
    return True


def keys(tool, needed, allowed, say):
    say(isinstance(tool, dict) and needed <= set(tool) <= needed | allowed, "", f"the keys {sorted(tool)}")


def mcp(tool, say):
    keys(tool, {"name", "inputSchema"}, {"title", "description", "outputSchema", "annotations"}, say)
    for key in ("inputSchema", "outputSchema"):
        schema = tool.get(key, {"type": "object"})
        if say(isinstance(schema, dict), key, "no object"):
            say(schema.get("type") == "object", key, "not of type object")
    say(isinstance(tool.get("inputSchema", {}).get("properties"), dict), "inputSchema", "no properties")
    hints = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    for key, value in tool.get("annotations", {}).items():
        say(key == "title" and isinstance(value, str) or key in hints and isinstance(value, bool), key, "an annotation")

    def walk(schema):
        if not isinstance(schema, dict):
            return
        for key, value in schema.items():
            if key == "properties" and isinstance(value, dict):
                say(not any(child is True for child in value.values()), key, "a bare true")
            if key == "items":
                say(value is not True, key, "a bare true")
            if key in MAPS and isinstance(value, dict):
                value = list(value.values())
            elif key not in INNER:
                continue
            for child in value if isinstance(value, list) else [value]:
                walk(child)

    walk(tool.get("inputSchema", {}))


def check(form, tools):
    say = Report()
    if not say(isinstance(tools, list), "", "no list"):
        return say.faults
    if form.startswith("gemini") and tools:
        if not say(len(tools) == 1 and set(tools[0]) == {"functionDeclarations"}, "", "not one list of declarations"):
            return say.faults
        tools = tools[0]["functionDeclarations"]
    names = []
    for tool in tools:
        if form.startswith("openai"):
            keys(tool, {"type", "function"}, set(), say)
            say(tool.get("type") == "function", "", "not of type function")
            tool = tool.get("function", {})
            keys(tool, {"name", "parameters"}, {"description", "strict"}, say)
            say(tool.get("strict", True) is True and ("strict" not in tool or form == "openai-strict"), "", "strict")
        elif form.startswith("responses"):
            keys(tool, {"type", "name", "parameters", "strict"}, {"description"}, say)
            say(tool.get("type") == "function", "", "not of type function")
            say(tool.get("strict") is False or tool.get("strict") is True and form == "responses-strict", "", "strict")
        if form.startswith(("openai", "responses")):
            say(len(tool.get("description", "")) <= 1024, "", "a description of more than 1024 characters")
            schema = tool.get("parameters")
            (strict if tool.get("strict") else plain)(schema, say)
            if form == "openai-quirks":
                quirks(schema, say)
        elif form == "anthropic":
            keys(tool, {"name", "input_schema"}, {"description", "input_examples"}, say)
            schema = tool.get("input_schema")
            plain(schema, say)
            legal_keys(schema, say)
            if not say.faults:
                for example in tool.get("input_examples", []):
                    valid = isinstance(example, dict) and fits(example, schema, schema.get("$defs", {}))
                    say(valid, "", f"the example {example!r} does not fit")
        elif form == "gemini":
            keys(tool, {"name", "parametersJsonSchema"}, {"description"}, say)
            plain(tool.get("parametersJsonSchema"), say)
        elif form == "gemini-subset":
            keys(tool, {"name"}, {"description", "parameters"}, say)
            if "parameters" in tool:
                gemini(tool["parameters"], say)
        elif form == "mcp":
            mcp(tool, say)
        else:
            say(False, "", f"no form {form!r}")
        say(isinstance(tool.get("name"), str) and NAME.match(tool["name"]), "", f"the name {tool.get('name')!r}")
        text = tool.get("description", "x")
        say(isinstance(text, str) and text, "", "an empty description")
        names.append(tool.get("name"))
    say(len(set(names)) == len(names), "", "two tools of one name")
    return say.faults


def planted(form, tools):
    """Copies of a list, each with one fault, and what that is."""
    def inner(copy_of):
        if form.startswith("gemini"):
            return copy_of[0]["functionDeclarations"]
        return [tool["function"] for tool in copy_of] if form.startswith("openai") else copy_of

    def schema_key():
        return {"anthropic": "input_schema", "gemini": "parametersJsonSchema", "mcp": "inputSchema"}.get(form, "parameters")

    def plant(what, act, on_schema=True):
        mutant = copy.deepcopy(tools)
        tool = inner(mutant)[0]
        if on_schema:
            if schema_key() not in tool:
                return
            tool = tool[schema_key()]
        act(tool)
        yield what, mutant

    def property_of(schema):
        return lambda root: root["properties"].__setitem__("planted", schema)

    yield from plant("an illegal name", lambda tool: tool.update(name="bad name"), False)
    yield from plant("a name of 65 characters", lambda tool: tool.update(name="x" * 65), False)
    twice = copy.deepcopy(tools)
    inner_list = twice[0]["functionDeclarations"] if form.startswith("gemini") else twice
    inner_list.append(copy.deepcopy(inner_list[0]))
    yield "a tool twice", twice
    yield from plant("an unknown key", lambda tool: tool.update(planted=1), False)
    yield from plant("a root of another type", lambda root: root.update(type="array"))
    yield from plant("no properties", lambda root: root.pop("properties"))
    if form == "mcp":
        yield from plant("a bare true", property_of(True))
        yield from plant("a hint that is no boolean", lambda tool: tool.update(annotations={"readOnlyHint": "yes"}), False)
        return
    yield from plant("a union at the root", lambda root: root.update(anyOf=[{"type": "object"}, {"type": "object"}]))
    yield from plant("a length that is a text", property_of({"type": "string", "minLength": "3"}))
    yield from plant("a list of types", property_of({"type": ["string", "null"]}))
    yield from plant("an array without items", property_of({"type": "array"}))
    yield from plant("a schema that is true", property_of(True))
    yield from plant("a ghost is required", lambda root: root.update(required=[*root.get("required", []), "ghost"]))
    yield from plant("allOf", property_of({"allOf": [{"type": "string"}]}))
    yield from plant("a default beside a `$ref`", property_of({"$ref": "#/$defs/planted", "default": 1}))
    if form.startswith(("openai", "responses")):
        yield from plant("a long description", lambda tool: tool.update(description="x" * 1025), False)
    if form.startswith("responses"):
        yield from plant("strict is not said", lambda tool: tool.pop("strict"), False)
    if form.endswith("strict") and inner(tools)[0].get("strict"):
        yield from plant("an open object", lambda root: root.pop("additionalProperties"))
        yield from plant("an optional property", property_of({"type": "string"}))
        yield from plant("a default", lambda root: root.update(default={}))
    if form == "openai-quirks":
        yield from plant("a pattern", property_of({"type": "string", "pattern": "x"}))
        yield from plant("a slash", property_of({"type": "string", "enum": ["a/b"]}))
    if form == "anthropic":
        yield from plant("an illegal key", lambda root: root["properties"].update({"a b": {"type": "string"}}))
        yield from plant("an example that does not fit", lambda tool: tool.update(input_examples=[[]]), False)
    if form.startswith("gemini"):
        yield "no list of declarations", tools[0]["functionDeclarations"]
    if form == "gemini-subset":
        yield from plant("an object that is closed", lambda root: root.update(additionalProperties=False))
        yield from plant("an enum of numbers", property_of({"type": "integer", "enum": [1]}))
        yield from plant("an unknown format", property_of({"type": "string", "format": "uri"}))
        yield from plant("something beside anyOf", property_of(
            {"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "x"}))


def main():
    for line in sys.stdin:
        case = json.loads(line)
        answer = {"id": case["id"], "faults": check(case["form"], case["tools"])}
        if case.get("plant"):
            mutants = list(planted(case["form"], case["tools"]))
            answer["planted"] = len(mutants)
            answer["missed"] = [what for what, mutant in mutants if not check(case["form"], mutant)]
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
