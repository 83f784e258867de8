"""The page in a real browser: console, overflow, figures, cut text, contrast; narrow, wide, light, dark."""

import html
import json
import re
import shutil
import subprocess

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed: apt-get install chromium")

SCHEMES = {"dark": 0, "light": 1}

# Runs in a copy of the page without its content-security policy: what a person would see, as numbers.
PROBE = """<script>
addEventListener('load', () => {
  document.querySelectorAll('details').forEach(d => d.open = true);
  const root = document.documentElement, limit = root.clientWidth;
  const box = e => e.getBoundingClientRect();
  const free = [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, pre, nav'));
  const wide = free.filter(e => box(e).right > limit + 1).map(e => e.tagName + '.' + e.className);
  const pictures = [...document.querySelectorAll('svg.picture')];
  const texts = [...document.querySelectorAll('svg.picture text')];
  const outside = (a, b) => a.left < b.left - 1 || a.right > b.right + 1
    || a.top < b.top - 1 || a.bottom > b.bottom + 1;
  const style = e => getComputedStyle(e);
  const seen = {
    width: limit,
    scroll: root.scrollWidth,
    wide: wide.slice(0, 5),
    pictures: pictures.length,
    flat: pictures.filter(p => box(p).width < 200 || box(p).height < 60).map(p => p.id),
    cut: texts.filter(t => outside(box(t), box(t.closest('svg')))).map(t => t.textContent),
    smallest: Math.min(...texts.map(t => box(t).height)),
    background: style(document.body).backgroundColor,
    ink: style(document.body).color,
    text: [...new Set(texts.map(t => style(t).fill))],
  };
  parent.postMessage(JSON.stringify(seen), '*');
});
</script>"""

# A frame gives any width: a headless window is never narrower than 500 pixels.
FRAME = """<!DOCTYPE html><html><body style="margin:0"><pre id="seen"></pre>
<iframe src="{name}" style="width:{width}px;height:4000px;border:0"></iframe>
<script>
addEventListener('message', e => document.getElementById('seen').textContent = e.data)
</script></body></html>"""


def _chromium(folder, *arguments):
    flags = "--headless=new --no-sandbox --disable-gpu --disable-background-networking "
    flags += "--disable-component-update --no-first-run --hide-scrollbars "
    flags += "--enable-logging=stderr --v=0 --virtual-time-budget=8000"
    command = [CHROMIUM, *flags.split(), f"--user-data-dir={folder / 'profile'}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def console_messages(log: str) -> list[str]:
    """Messages of the page in chromium's log; what the browser says of its own surroundings is left out."""
    return re.findall(r"CONSOLE[:(]\d+\)?\] (.*)", log)


def look(folder, page: str, width: int, scheme: str) -> dict:
    """What the page looks like in a frame of that width."""
    policy = r'<meta http-equiv="Content-Security-Policy"[^>]*>'
    assert len(re.findall(policy, page)) == 1
    (folder / "copy.html").write_text(
        re.sub(policy, "", page).replace("</body>", PROBE + "</body>"), encoding="utf-8"
    )
    (folder / "frame.html").write_text(FRAME.format(name="copy.html", width=width), encoding="utf-8")
    setting = f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}"
    done = _chromium(
        folder, setting, "--window-size=1400,4200", "--dump-dom", (folder / "frame.html").as_uri()
    )
    found = re.search(r'<pre id="seen">(.+?)</pre>', done.stdout, re.S)
    assert found, f"chromium said nothing about the page: {done.stderr[-2000:]}"
    return json.loads(html.unescape(found.group(1)))


def contrast(one: str, two: str) -> float:
    """Contrast ratio of two CSS colours (WCAG 2.1, relative luminance)."""

    def luminance(colour: str) -> float:
        parts = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
        linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")]
)
def test_page_fits_and_shows_every_figure(page, tmp_path, width, scheme):
    seen = look(tmp_path, page, width, scheme)
    assert seen["width"] == width
    assert seen["scroll"] <= width, f"wider than the window: {seen['wide']}"
    assert seen["wide"] == []
    assert seen["pictures"] == page.count('<svg class="picture"') > 10
    assert seen["flat"] == []
    assert seen["cut"] == [], "text outside its picture"
    assert seen["smallest"] > 7.0, "text in pictures too small to read"
    paper = {"light": 1.0, "dark": 15.0}[scheme]
    assert contrast("rgb(255, 255, 255)", seen["background"]) >= paper
    assert (seen["background"] == "rgb(255, 255, 255)") == (scheme == "light")
    for colour in [seen["ink"], *seen["text"]]:
        assert contrast(colour, seen["background"]) >= 4.5, f"{colour} on {seen['background']}"


def test_the_look_finds_overflow_and_missing_figures(page, tmp_path):
    spoiled = page.replace("<main>", '<main><div style="width:3000px">wide</div>', 1)
    spoiled = re.sub(r'viewBox="[^"]*"', 'viewBox="0 0 9000 10"', spoiled, count=1)
    seen = look(tmp_path, spoiled, 360, "light")
    assert seen["scroll"] >= 3000 and seen["wide"] != [] and seen["flat"] != []


def test_console_stays_silent(page_file, tmp_path):
    done = _chromium(
        tmp_path, f"--screenshot={tmp_path / 'page.png'}", "--window-size=1280,2000", page_file.as_uri()
    )
    assert (tmp_path / "page.png").stat().st_size > 50_000, done.stderr[-2000:]
    assert console_messages(done.stderr) == []


def test_a_script_or_a_missing_file_would_be_heard(page, tmp_path):
    for addition in ("<script>document.title</script>", '<img src="missing.png" alt="">'):
        (tmp_path / "spoiled.html").write_text(
            page.replace("</body>", addition + "</body>"), encoding="utf-8"
        )
        target = (tmp_path / "spoiled.html").as_uri()
        done = _chromium(tmp_path, f"--screenshot={tmp_path / 'page.png'}", "--window-size=1280,2000", target)
        assert console_messages(done.stderr) != []
