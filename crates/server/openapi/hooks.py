"""What Schemathesis does differently for an arena."""

import itertools

import schemathesis

# Ids up to this one are those of bots, versions and matches that exist.
KNOWN = 12

addresses = itertools.count(1)


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Most ids are those of something that exists; otherwise every answer would be 404."""
    for name, value in (path_parameters or {}).items():
        if name == "id" and type(value) is int and value % 4:
            path_parameters[name] = value % KNOWN + 1
        if name == "game" and type(value) is str and len(value) % 4:
            path_parameters[name] = ("snakego", "kob", "tankcraft")[len(value) % 3]
    return path_parameters


@schemathesis.hook
def before_call(context, case, kwargs):
    """Every request comes from another address: limits by address are tested elsewhere."""
    number = next(addresses)
    address = ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))
    case.headers = {**(case.headers or {}), "X-Forwarded-For": f"10.{address.split('.', 1)[1]}"}
