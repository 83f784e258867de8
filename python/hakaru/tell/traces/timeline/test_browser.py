"""The timeline in a browser that the test drives: it opens, zooms, searches, and fits."""

import pytest

from hakaru.tell.traces.timeline import driven, fixtures
from hakaru.tell.traces.timeline.section import of_archive
from hakaru.tell.traces.trace_page import of_trace, page

pytestmark = pytest.mark.skipif(
    driven.CHROMIUM is None, reason="no chromium is installed: apt-get install chromium"
)
VIEW = "(() => { const d = document.querySelector('[data-part=viewer]').dataset; return [+d.from, +d.to, +d.top, +d.bottom]; })()"
PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with driven.browser(tmp_path_factory.mktemp("browser")) as one:
        yield one


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    trace = fixtures.ring(folder, ranks=8, steps=30)
    (folder / "page.html").write_text(page(trace.summary(), of_trace("t", "t/archive", of_archive(trace))))
    return folder / "page.html"


@pytest.fixture
def opened(browser, path):
    browser.messages.clear()
    browser.look(1200, 900)
    browser.open(path)
    yield browser
    assert browser.messages == []


def view(browser) -> list[float]:
    browser.evaluate(PAINTED)
    return browser.evaluate(VIEW)


def part(browser, name: str) -> dict:
    """Where a part of the viewer is on the screen."""
    place = f"document.querySelector('[data-part={name}]')"
    browser.evaluate(f"{place}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
    return browser.evaluate(f"{place}.getBoundingClientRect().toJSON()")


def click(browser, name: str) -> None:
    box = part(browser, name)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for kind in ("mousePressed", "mouseReleased"):
        browser.mouse(kind, x, y, button="left", clickCount=1)


def test_dragging_zooms_into_the_stretch(opened):
    begin, end, *_ = view(opened)
    box = part(opened, "canvas")
    left, wide = box["x"] + 74, box["width"] - 74
    opened.drag((left + 0.25 * wide, box["y"] + 60), (left + 0.5 * wide, box["y"] + 60))
    low, high, *_ = view(opened)
    assert low == pytest.approx(begin + 0.25 * (end - begin), abs=0.01 * (end - begin))
    assert high == pytest.approx(begin + 0.5 * (end - begin), abs=0.01 * (end - begin))
    assert "#t=" in opened.evaluate("location.hash")
    opened.drag((left + 0.5 * wide, box["y"] + 60), (left + 0.25 * wide, box["y"] + 60), modifiers=8)
    moved, *_ = view(opened)
    assert moved > low
    click(opened, "all")
    assert view(opened)[:2] == pytest.approx([begin, end])


def test_wheel_keys_and_buttons(opened):
    begin, end, *_ = view(opened)
    box = part(opened, "canvas")
    at = (box["x"] + 74 + (box["width"] - 74) / 2, box["y"] + 60)
    opened.mouse("mouseWheel", *at, deltaX=0, deltaY=-100, modifiers=2)
    assert view(opened)[1] - view(opened)[0] == pytest.approx((end - begin) / 1.25, rel=0.01)
    opened.mouse("mouseWheel", *at, deltaX=0, deltaY=-100, modifiers=1)
    low, high = view(opened)[2:]
    assert high - low < 8
    opened.evaluate("document.querySelector('[data-part=canvas]').focus()")
    before = view(opened)
    opened.type("w")
    assert view(opened)[1] - view(opened)[0] == pytest.approx((before[1] - before[0]) / 2, rel=0.01)
    opened.type("0")
    assert view(opened) == pytest.approx([begin, end, 0, 8])
    for _ in range(6):
        click(opened, "in")
    assert view(opened)[1] - view(opened)[0] == pytest.approx((end - begin) / 64, rel=0.01)
    assert opened.evaluate("document.querySelector('[data-part=viewer]').dataset.exact") == "true"


def test_search_finds_calls_phases_and_ranks(opened):
    begin, end, *_ = view(opened)
    opened.evaluate("document.querySelector('[data-part=search]').focus()")
    opened.type("allred")
    result = "document.querySelector('[data-part=result]').textContent"
    assert opened.evaluate(result).startswith("240 times MPI_Allreduce")
    click(opened, "next")
    low, high, *_ = view(opened)
    assert high - low < (end - begin) / 10
    first = opened.evaluate(result)
    assert first.startswith("1 of the 8 longest: MPI_Allreduce of rank")
    click(opened, "next")
    assert opened.evaluate(result).startswith("2 of the 8 longest") and view(opened)[:2] != [low, high]
    look = "document.querySelector('[data-part=search]').value = '{}'; document.querySelector('[data-part=search]').dispatchEvent(new Event('input'))"
    opened.evaluate(look.format("rank 3"))
    assert opened.evaluate(result) == "rank 3"
    opened.evaluate(look.format("halo"))
    assert "in halo" in opened.evaluate(result)
    opened.evaluate(look.format("no such call"))
    assert opened.evaluate(result) == "nothing has that name"


def pixel(browser, x: float, y: float) -> list[int]:
    """Colour of the picture at a place in CSS pixels; below the top, or above the bottom."""
    read = f"""{PAINTED}.then(() => {{
      const canvas = document.querySelector('[data-part=canvas]');
      const one = new OffscreenCanvas(1, 1).getContext('2d', {{ willReadFrequently: true }});
      one.drawImage(canvas, {x}, {y} < 0 ? canvas.height + {y} : {y}, 1, 1, 0, 0, 1, 1);
      return Array.from(one.getImageData(0, 0, 1, 1).data);
    }})"""
    return browser.evaluate(read)


def test_searching_dims_the_others(opened):
    for name in ("messages", "path"):
        click(opened, name)
    computing = pixel(opened, 90, -8)  # of the last rank, which computes most
    look = "document.querySelector('[data-part=search]').value = 'halo'; document.querySelector('[data-part=search]').dispatchEvent(new Event('input'))"
    opened.evaluate(look)
    assert sum(pixel(opened, 90, -8)) > sum(computing) + 60


def test_a_long_wait_of_the_table_is_visited(opened):
    begin, end, *_ = view(opened)
    opened.evaluate("document.querySelector('[data-visit]').click()")
    low, high, *_ = view(opened)
    place = opened.evaluate("document.querySelector('[data-visit]').dataset.visit").split()
    assert low < float(place[1]) < high and high - low < (end - begin) / 5


def test_the_pointer_is_told_where_it_is(opened):
    box = part(opened, "canvas")
    opened.mouse("mouseMoved", box["x"] + 200, box["y"] + 30)
    text = opened.evaluate("document.querySelector('[data-part=hint]').innerText")
    assert text.startswith("rank 0") and "at " in text
    assert opened.evaluate("document.querySelector('[data-part=hint] b')") is None


def test_an_address_with_a_time_opens_there(browser, path):
    browser.look(1200, 900)
    browser.open(path)
    _, end, *_ = view(browser)
    browser.evaluate(f"location.hash = '#t={end / 4},{end / 2}'")
    assert view(browser)[:2] == pytest.approx([end / 4, end / 2])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1200, 2000])
def test_it_fits_every_width(browser, path, width, scheme):
    browser.messages.clear()
    browser.look(width, 900, scheme)
    browser.open(path)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    wide = browser.evaluate("document.querySelector('[data-part=canvas]').clientWidth")
    assert wide > 0.8 * min(width, 1900)
    shade = sum(pixel(browser, 5, 5)[:3])
    assert shade > 700 if scheme == "light" else shade < 120
    assert browser.messages == []


def test_each_colouring_paints_something_else(opened):
    for name in ("messages", "path"):
        click(opened, name)
    seen = set()
    for mode in ("phases", "calls", "shares"):
        opened.evaluate(
            f"(() => {{ const m = document.querySelector('[data-part=mode]'); m.value = '{mode}'; m.dispatchEvent(new Event('change')); }})()"
        )
        seen.add(tuple(pixel(opened, 90, -8)))
    assert len(seen) >= 2


def test_without_scripts_the_picture_stands(browser, path):
    browser.look(1200, 900)
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.send("Page.navigate", url=path.as_uri())
        browser.wait("document.querySelector('svg.still')?.getBoundingClientRect().width > 800")
        assert browser.evaluate("document.querySelector('[data-part=viewer]').hidden")
    finally:
        browser.send("Emulation.setScriptExecutionDisabled", value=False)


def test_printed_it_has_the_picture(opened):
    opened.send("Emulation.setEmulatedMedia", media="print")
    try:
        assert opened.evaluate("document.querySelector('svg.still').getBoundingClientRect().height") > 100
        assert opened.evaluate("document.querySelector('.timeline').getBoundingClientRect().height") == 0
    finally:
        opened.send("Emulation.setEmulatedMedia", media="")


def test_a_script_that_is_not_ours_does_not_run(browser, path, tmp_path):
    spoiled = path.read_text().replace("</body>", "<script>document.title = 'mine'</script></body>")
    (tmp_path / "spoiled.html").write_text(spoiled)
    browser.messages.clear()
    browser.open(tmp_path / "spoiled.html")
    assert browser.evaluate("document.title") != "mine" and browser.messages != []
    browser.messages.clear()
