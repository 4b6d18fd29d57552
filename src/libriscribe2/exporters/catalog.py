"""The catalog: which formats there are.

A format exists by being the `EXPORTER` of a module in `libriscribe2.exporters.formats`.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

from libriscribe2.errors import ConfigError, LibriScribeError, UsageError
from libriscribe2.exporters import formats
from libriscribe2.exporters.exporter import Exporter


@cache
def all_exporters() -> tuple[Exporter, ...]:
    """Every exporter there is, by its place.

    Raises:
        LibriScribeError: A module of the package offers no exporter.
    """
    found = []
    for module in iter_modules(formats.__path__):
        place = f"{formats.__name__}.{module.name}"
        exporter = getattr(import_module(place), "EXPORTER", None)
        if not isinstance(exporter, Exporter):
            raise LibriScribeError(f"{place}.EXPORTER is not an exporter.")
        found.append(exporter)
    return tuple(sorted(found, key=lambda one: (one.place, one.name)))


def exporters_for(names: tuple[str, ...]) -> tuple[Exporter, ...]:
    """The exporters of the named formats; without a name, all that can be made here.

    Args:
        names: As the user typed them: `epub`, `EPUB`, `.epub`.

    Raises:
        UsageError: There is no such format.
        ConfigError: A named format needs the extra `[export]`, which is not installed.
    """
    if not names:
        return tuple(one for one in all_exporters() if not lacking(one))
    known = {one.name: one for one in all_exporters()}
    called = {other: one.name for one in known.values() for other in one.also_called}
    plain = [name.strip().lower().lstrip(".") for name in names]
    wanted = dict.fromkeys(called.get(name, name) for name in plain)
    for name in wanted:
        if name not in known:
            listed = ", ".join(known)
            raise UsageError(f"There is no format {name!r}.", fix=f"Choose from {listed}.")
    chosen = tuple(known[name] for name in wanted)
    lack = {name: lacking(one) for name, one in zip(wanted, chosen, strict=True)}
    if any(lack.values()):
        raise _not_installed(lack)
    return chosen


def lacking(exporter: Exporter) -> tuple[str, ...]:
    """The modules that an exporter needs and that are not installed."""
    return tuple(name for name in exporter.needs if find_spec(name) is None)


def _not_installed(lack: dict[str, tuple[str, ...]]) -> ConfigError:
    names = ", ".join(name for name, modules in lack.items() if modules)
    without = " and ".join(one.name for one in all_exporters() if not one.needs)
    modules = ", ".join(sorted({module for found in lack.values() for module in found}))
    return ConfigError(
        f"{names}: the extra [export] is not installed.",
        why=f"{modules} cannot be found; {without} do without.",
        fix="`uv tool install 'libriscribe2[export]'`, or `pip install 'libriscribe2[export]'`.",
    )
