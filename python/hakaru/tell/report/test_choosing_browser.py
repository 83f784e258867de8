"""Choosing in a browser that the test drives: sliders and lists tell what was computed before."""

import pytest

from hakaru.foretell.replay.levers import told
from hakaru.tell.report import choosing_fixtures as made_up
from hakaru.tell.report import write_report
from hakaru.tell.traces.timeline import driven

pytestmark = pytest.mark.skipif(
    driven.CHROMIUM is None, reason="no chromium is installed: apt-get install chromium"
)
TOLD = "document.querySelector('{} [data-part=told]').textContent"
MOVE = """(() => {{ const one = document.querySelectorAll('{} {}')[{}];
  one.{} = {}; one.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with driven.browser(tmp_path_factory.mktemp("browser")) as one:
        yield one


@pytest.fixture(scope="module")
def path(results, tmp_path_factory):
    target = tmp_path_factory.mktemp("page") / "report.html"
    return write_report(target, *results, made=made_up.precomputed())


def show(browser, path, width=1200, scheme="light"):
    browser.messages.clear()
    browser.look(width, 900, scheme)
    browser.send("Page.navigate", url=path.resolve().as_uri())
    browser.wait("document.querySelector('#what-if [data-part=tools]')?.hidden === false")


def move(browser, number: int, place: int) -> str:
    """Moves a slider; what is told then."""
    browser.evaluate(MOVE.format("[data-what-if]", "input[type=range]", number, "value", place))
    return browser.evaluate(TOLD.format("[data-what-if]"))


def choose(browser, number: int, place: int) -> str:
    browser.evaluate(MOVE.format("[data-chooser]", "select", number, "selectedIndex", place))
    return browser.evaluate(TOLD.format("[data-chooser]"))


def test_moving_a_slider_tells_the_replay_made_before(browser, path):
    show(browser, path)
    one = made_up.what_if()
    assert browser.evaluate(TOLD.format("[data-what-if]")) == told(one, (2, 2, 2))
    assert move(browser, 2, 4) == told(one, (2, 2, 4)) != told(one, (2, 2, 2))
    assert move(browser, 0, 0) == told(one, (0, 2, 4))
    assert browser.evaluate("document.querySelector('[data-what-if] .chosen').dataset.at") == "0,2,4"
    move(browser, 1, 0)
    assert "not replayed" in move(browser, 2, 0)
    browser.evaluate("document.querySelector('[data-part=back]').click()")
    assert browser.evaluate(TOLD.format("[data-what-if]")) == told(one, (2, 2, 2))
    assert browser.messages == []


def test_keys_move_the_slider_too(browser, path):
    show(browser, path)
    browser.evaluate("document.querySelectorAll('[data-what-if] input')[2].focus()")
    browser.send(
        "Input.dispatchKeyEvent",
        type="keyDown",
        key="ArrowRight",
        code="ArrowRight",
        windowsVirtualKeyCode=39,
    )
    assert browser.evaluate(TOLD.format("[data-what-if]")) == told(made_up.what_if(), (2, 2, 3))


def test_a_spoiled_cell_is_told_as_it_stands(browser, path, tmp_path):
    """The words come from the table, so that a wrong table would be seen."""
    right = told(made_up.what_if(), (2, 2, 4))
    (tmp_path / "spoiled.html").write_text(path.read_text().replace(right, "spoiled"))
    show(browser, tmp_path / "spoiled.html")
    assert move(browser, 2, 4) == "spoiled"


def test_choosing_a_size_and_a_layout_tells_that_forecast(browser, path):
    show(browser, path)
    made = {(one.value, one.ranks): one for one in made_up.variants()}
    assert made[96, 2].made.sentence in browser.evaluate(TOLD.format("[data-chooser]"))
    assert made[128, 2].made.sentence in choose(browser, 0, 1)
    assert "no forecast (it took too long)" in choose(browser, 1, 0)
    assert browser.evaluate("document.querySelector('[data-part=picture]').childElementCount") == 0
    assert made[96, 1].made.sentence in choose(browser, 0, 0)
    width = "document.querySelector('[data-part=picture] .any').getBoundingClientRect().width"
    assert browser.evaluate(width) > 1.0 and browser.messages == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1200, 2000])
def test_it_fits_every_width(browser, path, width, scheme):
    show(browser, path, width, scheme)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    wide = """[...document.querySelectorAll('.choose *')].filter(one => !one.closest('.scroll')
      && one.getBoundingClientRect().right > innerWidth + 1).length"""
    assert browser.evaluate(wide) == 0
    assert browser.evaluate("document.querySelector('[data-what-if] input').clientWidth") > 100
    assert browser.messages == []


def test_without_scripts_the_tables_stand_and_the_tools_do_not(browser, path):
    browser.look(1200, 900)
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.send("Page.navigate", url=path.as_uri())
        browser.wait("document.querySelector('footer')?.offsetHeight > 0")
        assert browser.evaluate("document.querySelector('#what-if .tools').offsetHeight") == 0
        assert browser.evaluate("document.querySelectorAll('#what-if td[data-at]').length") == 125
        assert browser.evaluate("document.querySelector('#what-if td[data-at]').offsetHeight") > 5
    finally:
        browser.send("Emulation.setScriptExecutionDisabled", value=False)


def test_on_paper_the_tables_stand_and_the_tools_do_not(browser, path):
    show(browser, path)
    browser.send("Emulation.setEmulatedMedia", media="print")
    try:
        assert browser.evaluate("document.querySelector('#what-if .tools').offsetHeight") == 0
        assert browser.evaluate("document.querySelector('#what-if td[data-at]').offsetHeight") > 5
    finally:
        browser.send("Emulation.setEmulatedMedia", media="")
