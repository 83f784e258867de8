"""What is found on nodes that are not here: which meters, what they cover, what they say, and why there are none."""

import pytest

from hakaru.base.errors import UserError
from hakaru.run.power import command, cray, hwmon, ipmi, powercap
from hakaru.run.power.known import kinds, meters
from hakaru.run.power.made_up import MadeUpNode
from hakaru.run.power.meter import Place


@pytest.fixture
def node(tmp_path):
    return MadeUpNode(tmp_path)


def found(node):
    return {meter.source: (meter.scope, meter.counts, meter.read()) for meter in meters(node.place).meters}


def test_every_kind_is_known():
    assert kinds() == ["command", "cray", "ipmi", "powercap", "hwmon"]


def test_a_node_without_meters_says_in_a_line_what_was_looked_for(node):
    none = meters(node.place)
    assert none.meters == () and none.why_not == "no meter found: command, cray, ipmi, powercap, hwmon"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (command, "no command is named"),
        (cray, "/sys/cray/pm_counters"),
        (ipmi, "no ipmitool"),
        (powercap, "no RAPL counter"),
        (hwmon, "/sys/class/hwmon"),
    ],
)
def test_each_kind_says_what_it_lacks(node, kind, words):
    none = kind.find(node.place)
    assert none.absent and none.meters == () and words in none.why_not


def test_packages_and_memory_are_counted_once(node):
    """Cores lie inside of their package, and the same package is shown through memory-mapped registers, too."""
    node.zone("intel-rapl:0", "package-0", 5_000_000)
    node.zone("intel-rapl:0:0", "core", 4_000_000)
    node.zone("intel-rapl:0:1", "dram", 1_000_000)
    node.zone("intel-rapl:1", "psys", 9_000_000)
    node.zone("intel-rapl-mmio:0", "package-0", 5_000_000)
    assert found(node) == {
        "powercap intel-rapl:0 package-0": ("package", "energy", 5.0),
        "powercap intel-rapl:0:1 dram": ("memory", "energy", 1.0),
    }
    assert meters(node.place).meters[0].range_j == pytest.approx(262143.32885)


def test_counters_that_only_administrators_read(node, monkeypatch):
    """Since Linux 5.10 they usually are."""
    counter = node.zone("intel-rapl:1", "package-1")
    read = type(counter).read_text

    def refused(path, *words, **more):
        if path.name == "energy_uj":
            raise PermissionError(13, "Permission denied")
        return read(path, *words, **more)

    monkeypatch.setattr(type(counter), "read_text", refused)
    none = meters(node.place)
    assert none.meters == ()
    assert "package-1: Permission denied; an administrator can allow it: chmod o+r" in none.why_not


def test_one_of_two_counters_can_be_read(node):
    node.zone("intel-rapl:0", "package-0", 7)
    node.zone("intel-rapl:1", "package-1").write_text("nonsense\n")
    assert list(found(node)) == ["powercap intel-rapl:0 package-0"]


def test_sensors_say_what_they_cover_where_that_is_known(node):
    node.sensor(0, "power_meter", "power1_average", 215_000_000, power1_average_interval=1000)
    node.sensor(1, "amd_energy", "energy1_input", 3_000_000, energy1_label="Ecore000")
    node.sensor(1, "amd_energy", "energy9_input", 8_000_000, energy9_label="Esocket0")
    node.sensor(2, "power_meter", "power1_average", 90_000_000, power1_oem_info="Module Power Socket 0")
    node.sensor(3, "amdgpu", "power1_input", 30_000_000, power1_label="PPT")
    assert found(node) == {
        "hwmon power_meter power1": ("node", "power", 215.0),
        "hwmon amd_energy Ecore000": ("other", "energy", 3.0),
        "hwmon amd_energy Esocket0": ("package", "energy", 8.0),
        "hwmon power_meter Module Power Socket 0": ("package", "power", 90.0),
        "hwmon amdgpu PPT": ("other", "power", 30.0),
    }
    steps = {meter.source: meter.step_s for meter in meters(node.place).meters}
    assert steps["hwmon power_meter power1"] == 1.0


def test_an_average_is_taken_before_a_momentary_value(node):
    node.sensor(0, "power_meter", "power1_input", 1_000_000)
    node.sensor(0, "power_meter", "power1_average", 2_000_000)
    assert found(node) == {"hwmon power_meter power1": ("node", "power", 2.0)}


def test_counters_of_cray_nodes(node):
    node.write("sys/cray/pm_counters/energy", "81234 J 1763884800000000 us")
    node.write("sys/cray/pm_counters/memory_energy", "1234 J 1763884800000000 us")
    assert found(node) == {
        "cray energy": ("node", "energy", 81234.0),
        "cray memory_energy": ("memory", "energy", 1234.0),
    }
    node.write("sys/cray/pm_counters/energy", "215 W 1763884800000000 us")
    assert list(found(node)) == ["cray memory_energy"], "that is no energy"


def test_the_management_controller(node):
    node.ipmi(watts=220)
    assert found(node) == {"ipmi dcmi": ("node", "power", 220.0)}


def test_a_controller_that_does_not_measure(node):
    node.ipmi(state="deactivated")
    none = meters(node.place)
    assert none.meters == () and "power reading is deactivated" in none.why_not
    with pytest.raises(ValueError, match="says no power"):
        ipmi.watts("")


def test_a_controller_that_is_closed_to_users(node):
    node.ipmi()
    node.command("ipmitool", "echo 'Could not open device at /dev/ipmi0' >&2; exit 1")
    assert (
        "Could not open device at /dev/ipmi0; /dev/ipmi0 is usually open to administrators only"
        in meters(node.place).why_not
    )


def test_a_tool_without_a_controller_is_not_started(node):
    node.command("ipmitool", f"touch {node.root}/started")
    assert "no /dev/ipmi0" in ipmi.find(node.place).why_not
    assert not (node.root / "started").exists()


@pytest.mark.parametrize(
    ("printed", "value", "scope", "counts"),
    [
        ("215 W", 215.0, "node", "power"),
        ("0.3 kW node", 300.0, "node", "power"),
        ("81.5 kJ package", 81500.0, "package", "energy"),
        ("1.5 kWh", 5.4e6, "node", "energy"),
    ],
)
def test_a_command_that_is_named(node, printed, value, scope, counts):
    tool = node.command("meter", f"echo {printed}")
    node.variables[command.VARIABLE] = f"{tool} --now"
    node.zone("intel-rapl:0", "package-0", 1)
    first = meters(node.place).meters[0]
    assert (first.source, first.scope, first.counts) == (f"command {tool} --now", scope, counts)
    assert first.read() == pytest.approx(value)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 215", "it printed '215'"),
        ("echo 215 V", "the unit 'V', not W or J"),
        ("echo 215 W rack", "the scope 'rack', not one of node, package, memory, other"),
        ("exit 3", "ended with status 3"),
        ("echo -5 W", "it printed '-5 W'"),
    ],
)
def test_a_command_that_is_no_meter(node, script, why):
    node.variables[command.VARIABLE] = str(node.command("meter", script))
    none = meters(node.place)
    assert none.meters == () and why in none.why_not and "such as 215 W" in none.why_not


def test_a_named_command_that_fails_is_told_beside_other_meters(node):
    node.variables[command.VARIABLE] = str(node.command("meter", "exit 3"))
    node.zone("intel-rapl:0", "package-0", 1)
    one = meters(node.place)
    assert len(one.meters) == 1 and "ended with status 3" in one.why_not


def test_the_option_refuses_what_is_no_meter(node, monkeypatch):
    monkeypatch.setenv(command.VARIABLE, "")
    command.use(None)
    with pytest.raises(
        UserError, match="--meter names no meter .*printed '5'.*; write a command that prints"
    ):
        command.use("echo 5")
    command.use("echo 5 W")
    assert meters(node.place).meters == () and command.find(Place()).meters[0].read() == 5.0


def test_a_command_that_is_not_there(node):
    node.variables[command.VARIABLE] = "/no/such/meter"
    assert "No such file" in meters(node.place).why_not


def test_a_meter_that_changes_its_mind(node):
    tool = node.command("meter", f"cat {node.write('said', '215 W')}")
    node.variables[command.VARIABLE] = str(tool)
    [meter] = meters(node.place).meters
    node.write("said", "215 J")
    with pytest.raises(ValueError, match="joules once and watts then"):
        meter.read()
