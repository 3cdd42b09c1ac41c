"""Builds a function from bytes that were never source."""

# mypy: ignore-errors
# alone: gate tripwire
# free: yes


def attack():
    import marshal
    import types

    code = marshal.loads(marshal.dumps(compile("40 + 2", "x", "eval")))
    return types.FunctionType(code, {})() == 42
