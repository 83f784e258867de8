"use strict";
(() => {
  const part = (box, name) => box.querySelector(`[data-part="${name}"]`);
  const cells = box => new Map([...box.querySelectorAll("[data-at]")].map(one => [one.dataset.at, one]));

  for (const box of document.querySelectorAll("[data-chooser]")) {
    const rows = cells(box), inputs = [...box.querySelectorAll("select")];
    const say = () => {
      const row = rows.get(inputs.map(one => one.selectedIndex).join());
      for (const one of rows.values()) one.classList.toggle("chosen", one === row);
      part(box, "told").textContent = row ? row.dataset.told : "No forecast of this one.";
      const bars = row && row.querySelector(".bars");
      part(box, "picture").replaceChildren(...(bars ? [bars.cloneNode(true)] : []));
    };
    for (const one of inputs) one.addEventListener("input", say);
    part(box, "tools").hidden = false;
    say();
  }

  for (const box of document.querySelectorAll("[data-what-if]")) {
    const found = cells(box), inputs = [...box.querySelectorAll("input[type=range]")];
    const factors = box.dataset.whatIf.split(" ");
    const say = () => {
      const cell = found.get(inputs.map(one => one.value).join());
      for (const one of found.values()) one.classList.toggle("chosen", one === cell);
      for (const one of inputs) {
        one.nextElementSibling.textContent = "× " + factors[one.value];
        one.setAttribute("aria-valuetext", "times " + factors[one.value]);
      }
      part(box, "told").textContent = cell.dataset.told;
    };
    const back = () => {
      for (const one of inputs) one.value = one.defaultValue;
      say();
    };
    for (const one of inputs) one.addEventListener("input", say);
    part(box, "back").addEventListener("click", back);
    part(box, "tools").hidden = false;
    back();
  }
})();
