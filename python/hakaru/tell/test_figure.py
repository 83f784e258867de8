import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from hakaru.tell import figure


def _draw(name="one", title="A title", label="line"):
    def paint(axes):
        axes.plot([1, 2, 3], [1, 4, 9], color=figure.color("blue"), marker="o", label=label)
        axes.set_ylim(0, 5)
        figure.legend_below(axes)

    return figure.picture(name, title, "what it shows", paint)


def test_is_bare_inline_svg():
    svg = _draw()
    root = ElementTree.fromstring(svg.replace("<svg ", '<svg xmlns:xlink="http://www.w3.org/1999/xlink" ', 1))
    assert root.tag.endswith("svg") and "width" not in root.attrib and root.attrib["role"] == "img"
    for unwanted in ("<?xml", "<!DOCTYPE", "<metadata", "<style", "<script", "<!--"):
        assert unwanted not in svg
    assert "<title>A title</title><desc>what it shows</desc>" in svg


def test_same_input_gives_the_same_bytes():
    assert _draw() == _draw()


def test_ids_of_two_pictures_never_clash_and_references_hold():
    one, two = _draw("one"), _draw("two")
    ids = {name: set(re.findall(r'\bid="([^"]+)"', svg)) for name, svg in (("one", one), ("two", two))}
    assert ids["one"] and not ids["one"] & ids["two"]
    used = set(re.findall(r'href="#([^"]+)"', one)) | set(re.findall(r"url\(#([^)]+)\)", one))
    assert used and used <= ids["one"]


@pytest.mark.parametrize("range_", [1.5, 2.9, 4.9, 8.0, 40.0, 1e4])
def test_times_on_logarithmic_axes_stand_beside_each_other(range_):
    def paint(axes):
        axes.set_xscale("log")
        axes.set_xlim(0.155, 0.155 * range_)
        figure.log_ticks(axes.xaxis)
        figure.time_axis(axes.xaxis)
        axes.figure.canvas.draw()
        boxes = [one.get_window_extent() for one in axes.get_xticklabels() if one.get_text()]
        inside = sorted((box.x0, box.x1) for box in boxes if axes.bbox.x0 <= box.x0 <= axes.bbox.x1)
        assert len(inside) >= 2
        assert all(left[1] < right[0] for left, right in pairwise(inside))

    figure.picture("times", "times", "times", paint)


def test_colours_follow_the_page():
    svg = _draw()
    assert "stroke: var(--blue, #0072b2)" in svg
    assert "fill: var(--ink, #101112)" in svg
    bare = re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", svg)
    assert set(bare) <= {"#ffffff"}, "a colour that does not change in dark mode"


def test_text_stays_text():
    svg = _draw(title='<script>alert("x")</script> & $x^2', label="<b>$\\frac{1}{0}$ & more</b>")
    assert "<script" not in svg and "<b>" not in svg
    assert "&lt;b&gt;$\\frac{1}{0}$ &amp; more&lt;/b&gt;" in svg


def test_long_labels_are_folded():
    assert figure.fold("turbulence n=128, transpose=alltoall") == "turbulence n=128,\ntranspose=alltoall"
    assert figure.fold("x" * 50) == "x" * 25 + "…"


def test_a_tip_is_a_title_that_browsers_show_and_stays_text():
    def paint(axes):
        axes.plot([1, 2], [1, 2])
        figure.tip(axes, 1, 1, 'N = 1: <b>"5 ms"</b>')

    svg = figure.picture("tips", "t", "d", paint)
    assert svg.count("<title>") == 2 and figure.TIP not in svg
    assert "<title>N = 1: &lt;b&gt;" in svg and "<b>" not in svg
