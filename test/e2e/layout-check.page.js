// Evaluated in the page: finds texts that leave the panel, are cut off, overlap, or have too little contrast.

const SLACK_PX = 1;

const shown = (element) => element.checkVisibility({ visibilityProperty: true });
const short = (text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function channels(colour) {
  const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
  return { red, green, blue, alpha };
}

function over(top, background) {
  const mix = (one, other) => one * top.alpha + other * (1 - top.alpha);
  return {
    red: mix(top.red, background.red),
    green: mix(top.green, background.green),
    blue: mix(top.blue, background.blue),
    alpha: 1,
  };
}

function luminance({ red, green, blue }) {
  const [r, g, b] = [red, green, blue]
    .map((value) => value / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrastOf(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Every colour that may lie behind an element: of a gradient all, and where nothing covers the picture, any. */
function backgroundsOf(element) {
  const layers = [];
  let covered = false;
  for (let at = element; at && !covered; at = at.parentElement) {
    const style = getComputedStyle(at);
    const plain = channels(style.backgroundColor);
    const gradient = (style.backgroundImage.match(/rgba?\([^)]*\)/g) ?? []).map(channels);
    if (gradient.length > 0) {
      layers.push(gradient);
    }
    if (plain.alpha > 0) {
      layers.push([plain]);
    }
    covered = plain.alpha === 1 || (gradient.length > 0 && gradient.every(({ alpha }) => alpha === 1));
  }
  const picture = [0, 255].map((value) => ({ red: value, green: value, blue: value, alpha: 1 }));
  return layers.reduceRight(
    (backgrounds, layer) =>
      layer.flatMap((colour) => backgrounds.map((background) => over(colour, background))),
    covered ? picture.slice(0, 1) : picture,
  );
}

/** The area in which an element must be: the display, the menu's panel, and every clipping ancestor. */
function windowOf(element, { scrolls = false } = {}) {
  const seen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  for (let at = element.parentElement; at; at = at.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(at);
    if (overflowX === 'visible' && overflowY === 'visible' && !at.matches('.menu-panel')) {
      continue;
    }
    // Part of a wide table or calendar is beyond the edge until it is scrolled to.
    if (scrolls && /auto|scroll/.test(overflowX)) {
      return { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
    }
    const box = at.getBoundingClientRect();
    seen.left = Math.max(seen.left, box.left);
    seen.top = Math.max(seen.top, box.top);
    seen.right = Math.min(seen.right, box.right);
    seen.bottom = Math.min(seen.bottom, box.bottom);
  }
  return seen;
}

function within(box, outer) {
  return (
    box.left >= outer.left - SLACK_PX &&
    box.top >= outer.top - SLACK_PX &&
    box.right <= outer.right + SLACK_PX &&
    box.bottom <= outer.bottom + SLACK_PX
  );
}

const meet = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** The line boxes of a text, without the space above and below the letters. */
function linesOf(element) {
  return textNodes(element).flatMap((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()]
      .filter(({ width, height }) => width > 0 && height > 0)
      .map(({ left, top, right, bottom, width, height }) => {
        const trim = Math.min(width, height) * 0.12;
        return { left: left + trim, top: top + trim, right: right - trim, bottom: bottom - trim };
      });
  });
}

const textNodes = (element) =>
  [...element.childNodes].filter(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim());

/** Text that its own box clips; scrollable content may be longer than its box, and a title says the whole of what is cut. */
function cutOff(element, { scrolls: mayScroll }) {
  if (element.closest('[title], input') || element.clientWidth <= 1) {
    return [];
  }
  const { overflowX, overflowY } = getComputedStyle(element);
  const scrolled = mayScroll && /auto|scroll/.test(overflowX);
  const atSide = !scrolled && overflowX !== 'visible' && element.scrollWidth > element.clientWidth + SLACK_PX;
  const below =
    (overflowY === 'hidden' || overflowY === 'clip') &&
    element.scrollHeight > element.clientHeight + SLACK_PX;
  return atSide || below ? [`cut off: ${short(element.textContent)}`] : [];
}

function outside(element, { scrolls }) {
  if (element.closest('[title]')) {
    return [];
  }
  const seen = windowOf(element, { scrolls });
  // Content outside a scroll area can be scrolled back.
  if (scrolls || element.closest('[data-scrolls]')) {
    Object.assign(seen, { top: -Infinity, bottom: Infinity });
  }
  const solid = element.matches('canvas, button');
  const boxes = solid ? [element.getBoundingClientRect()] : linesOf(element);
  return boxes.every((box) => within(box, seen)) ? [] : [`outside: ${short(element.textContent)}`];
}

/** What is to be seen of a line of a text whose box clips it. */
function clipped(line, element) {
  const { overflowX } = getComputedStyle(element);
  if (overflowX === 'visible') {
    return line;
  }
  const box = element.getBoundingClientRect();
  return {
    left: Math.max(line.left, box.left),
    top: Math.max(line.top, box.top),
    right: Math.min(line.right, box.right),
    bottom: Math.min(line.bottom, box.bottom),
  };
}

/** The innermost layer that an element is in: what is in another may be covered by it. A page that scrolls does so below some. */
function layerOf(element, { scrolls }) {
  for (let at = element; at; at = at.parentElement) {
    const isAbove =
      scrolls && (/sticky|fixed/.test(getComputedStyle(at).position) || at.matches('[role=menu]'));
    if (isAbove || at.matches('#overlay, #menu')) {
      return at;
    }
  }
  return null;
}

function overlaps(texts, { scrolls }) {
  // What is for screen readers alone is one pixel large.
  const lines = texts
    .filter(({ offsetWidth }) => offsetWidth !== 1)
    .flatMap((element) => {
      const seen = windowOf(element);
      const boxes = linesOf(element)
        .map((box) => clipped(box, element))
        .filter((box) => box.right > box.left && box.bottom > box.top && within(box, seen));
      return boxes.map((box) => ({ element, box, layer: layerOf(element, { scrolls }) }));
    });
  return lines.flatMap(({ element, box, layer }, i) =>
    lines
      .slice(0, i)
      .filter((other) => other.layer === layer)
      .filter((other) => !element.contains(other.element) && !other.element.contains(element))
      .filter((other) => meet(box, other.box))
      .map((other) => `overlap: ${short(element.textContent)} / ${short(other.element.textContent)}`),
  );
}

function leastContrastOf(element) {
  const colour = channels(getComputedStyle(element).color);
  return Math.min(
    ...backgroundsOf(element).map((background) => contrastOf(over(colour, background), background)),
  );
}

/** `within`: a selector of the elements that are looked into; `scrolls`: the whole page scrolls up and down. */
export function checkLayout(wantedContrast, { within: roots, scrolls }) {
  const elements = [...document.querySelectorAll(`:is(${roots}) *`)].filter(shown);
  const texts = elements.filter((element) => textNodes(element).length > 0);
  const contrasts = texts
    .filter((element) => !element.closest('[disabled]'))
    .map((element) => ({ element, contrast: leastContrastOf(element) }));
  const problems = [
    ...elements.flatMap((element) => cutOff(element, { scrolls })),
    ...elements.flatMap((element) => outside(element, { scrolls })),
    ...overlaps(texts, { scrolls }),
    ...contrasts
      .filter(({ contrast }) => contrast < wantedContrast)
      .map(({ element, contrast }) => `contrast ${contrast.toFixed(1)}: ${short(element.textContent)}`),
  ];
  return {
    problems: [...new Set(problems)],
    texts: texts.length,
    leastContrast: contrasts.length > 0 ? Math.min(...contrasts.map(({ contrast }) => contrast)) : null,
  };
}
