"""No launcher: one rank, started as it is."""

from collections.abc import Mapping, Sequence

from hakaru.base.errors import UserError
from hakaru.run.launchers.launch import Launch
from hakaru.run.launchers.launcher import Launcher


class Direct(Launcher):
    name = "direct"
    title = "no launcher"
    library = False

    def head(self, launch: Launch) -> list[str]:
        return self.options(launch)

    def options(self, launch: Launch) -> list[str]:
        if launch.ranks != 1:
            raise UserError(
                f"it cannot use {launch.ranks} ranks", "it is started without an MPI launcher", "use 1 rank"
            )
        return []

    def handed_over(
        self, head: Sequence[str], program: Sequence[str], variables: Mapping[str, str]
    ) -> list[str]:
        return [*head, *program]

    def set_for_ranks(self, variables: Mapping[str, str]) -> dict[str, str]:
        return dict(variables)

    def recognised(self, words: Sequence[str]) -> tuple[Launch, list[str]]:
        return Launch(self.name, typed=()), list(words)


launcher = Direct()
