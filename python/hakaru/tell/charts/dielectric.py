"""Dielectric function of a crystal, from the latest run of electrons with an impulse."""

from hakaru.facts.records.record import Table
from hakaru.tell import figure
from hakaru.tell.chart_data import ReportData

title = "Dielectric function"
order = 28
program = "electrons"
section = "programs"
explanation = (
    "The response of a crystal's electrons to an impulse, as the dielectric function of the photon "
    "energy: light is absorbed where the imaginary part is large, and the electrons swing together "
    "where the real part rises through zero."
)
missing = "hakaru app electrons --preset silicon computes it"

# Below, what is left of the window function and of a coarse mesh of k-points outweighs the response.
LOWEST_EV = 0.75


def draw(data: ReportData) -> str | None:
    found = [table for table in data.tables("electrons") if table.name == "dielectric" and table.rows]
    return picture(found[-1]) if found else None


def picture(table: Table) -> str:
    """The picture of one table of photon energies, real and imaginary parts."""
    energy, real, imaginary = (table.index(name) for name in ("energy", "real", "imaginary"))
    rows = [row for row in table.rows if row[energy] >= LOWEST_EV] or table.rows
    highest = max(rows, key=lambda row: row[imaginary])
    spoken = f"largest absorption at {highest[energy]:.2f} eV, imaginary part {highest[imaginary]:.1f}"

    def paint(axes) -> None:
        energies = [row[energy] for row in rows]
        axes.plot(energies, [row[real] for row in rows], color=figure.color("blue"), label="real part")
        axes.plot(
            energies,
            [row[imaginary] for row in rows],
            color=figure.color("vermillion"),
            label="imaginary part",
        )
        axes.axhline(0.0, color=figure.color("muted"), linewidth=0.8)
        axes.set_xlabel("photon energy, eV")
        axes.set_ylabel("dielectric function")
        figure.heading(axes, title)
        figure.legend_below(axes)

    return figure.picture("dielectric", title, spoken, paint)
