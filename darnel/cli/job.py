"""What one ``run`` command asks for, and how it is run."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from darnel.adapters.apps.options import AppOptions
    from darnel.core.corpus import Target
    from darnel.core.options import RunOptions
    from darnel.core.pattern import Dose
    from darnel.core.queries import Query
    from darnel.core.results import Results


@dataclass(frozen=True)
class Job:
    """One command's run; options such as ``--all-stores`` or several ``--retriever`` have it run several times."""

    target: str
    queries: list[Query]
    doses: list[Dose]
    settings: dict[str, Any]
    given: dict[str, Any]

    def run(self, app: AppOptions, retriever: str | None = None, carrier_words: int | None = None) -> Results:
        """Plant, ask, score, remove, prove; another retriever or length of the carrier than the command's where one is given."""
        from darnel.cli.progress import progress_bar, say
        from darnel.core.planting.ledger import Ledger
        from darnel.core.running.runner import run_mode_a

        with closing(self._open(app, writes=True, retriever=retriever or self.retrievers[0])) as opened:
            options = self._options(opened, carrier_words)
            with Ledger(self.given["ledger"]) as ledger, progress_bar() as progress:
                told = replace(options, notify=say, progress=progress)
                return run_mode_a(opened, self.queries, self.doses, told, ledger)

    def plan(self, app: AppOptions, *, as_json: bool) -> int:
        """Print what would be planted, and write nothing."""
        from darnel.cli.dry_run import print_plan

        with closing(self._open(app, writes=False)) as opened:
            return print_plan(opened, self.queries, self.doses, self._options(opened), as_json=as_json)

    def stores(self) -> list[str]:
        """Paths of the stores in the application."""
        from darnel.adapters.registry import find_stores
        from darnel.adapters.spec import parse_spec

        return find_stores(parse_spec(self.target))

    def _open(self, app: AppOptions, *, writes: bool, retriever: str = "own") -> Target:
        from darnel.api import open_target

        embedder, hosts = self.given["embedder"], self.given["allow_hosts"]
        return open_target(
            self.target, embedder=embedder, allow_hosts=hosts, writes=writes, app=app, retriever=retriever
        )

    @property
    def retrievers(self) -> list[str]:
        """Those named, or the target's own."""
        return list(dict.fromkeys(self.given["retrievers"])) or ["own"]

    def _options(self, opened: Target, carrier_words: int | None = None) -> RunOptions:
        from darnel.core.options import RunOptions
        from darnel.core.pattern import default_carrier, sized_carrier
        from darnel.core.scoring.gate import parse_gate

        words = carrier_words or next(iter(self.given["carrier_words"]), None)
        options = RunOptions(
            k=next(iter(self.given["k"]), None) or opened.k or RunOptions().k,
            carrier=sized_carrier(words) if words else default_carrier,
            **self.settings,
        )
        for text in options.gates:
            parse_gate(text, options.ks)
        return options
