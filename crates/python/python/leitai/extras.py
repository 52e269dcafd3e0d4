"""Libraries that the package's extras bring."""

from importlib.util import find_spec


def need_library(library: str, extra: str) -> None:
    """Tells how to install a library that is not there.

    :raises ModuleNotFoundError: if it is not there
    """
    if find_spec(library) is None:
        raise ModuleNotFoundError(f"No module named {library!r}; pip install 'leitai[{extra}]' brings it", name=library)
