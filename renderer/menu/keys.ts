const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** What the remote controls of different boxes send for "back". */
const BACK = new Set(['Escape', 'Backspace', 'BrowserBack', 'GoBack']);
const PRESS = new Set(['Select', 'Accept']);

export const isBack = (key: string): boolean => BACK.has(key);

/** Arrow keys, Tab and the remote control's "OK" within `root`; tells whether the key was one of them. */
export function moveOrPress(root: HTMLElement, event: Pick<KeyboardEvent, 'key' | 'shiftKey'>): boolean {
  const places = [
    ...root.querySelectorAll<HTMLElement>('button:not([disabled]), [data-scrolls][tabindex="0"]'),
  ];
  const active = places.find((place) => place === document.activeElement) ?? null;
  if (PRESS.has(event.key)) {
    active?.click();
    return true;
  }
  if (event.key === 'Tab') {
    const at = active ? places.indexOf(active) : -1;
    places.at((at + (event.shiftKey ? -1 : 1)) % places.length)?.focus();
    return true;
  }
  const direction = DIRECTIONS[event.key];
  if (!direction) return false;
  if (active === null) places[0]?.focus();
  else if (!scrolls(active, direction[1])) nearest(root, active, places, direction)?.focus();
  return true;
}

/** A text that is longer than its box goes on as long as there is more of it. */
function scrolls(place: HTMLElement, down: number): boolean {
  if (!('scrolls' in place.dataset) || down === 0) return false;
  const before = place.scrollTop;
  place.scrollBy({ top: down * place.clientHeight * 0.5, behavior: 'instant' });
  return place.scrollTop !== before;
}

/** The nearest place in this direction; what lies aside counts as farther than what lies straight on. */
function nearest(
  root: HTMLElement,
  from: HTMLElement,
  places: readonly HTMLElement[],
  [right, down]: readonly [number, number],
): HTMLElement | null {
  const start = middleOf(root, from);
  let best: HTMLElement | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const place of places) {
    const { x, y } = middleOf(root, place);
    const ahead = (x - start.x) * right + (y - start.y) * down;
    const aside = Math.abs((x - start.x) * down) + Math.abs((y - start.y) * right);
    const distance = ahead + 2 * aside;
    if (place === from || ahead <= 1 || distance >= bestDistance) continue;
    best = place;
    bestDistance = distance;
  }
  return best;
}

/** In the page's own directions: the arrows of a screen on its side still point where its picture does. */
function middleOf(root: HTMLElement, place: HTMLElement): { x: number; y: number } {
  let x = place.offsetWidth / 2;
  let y = place.offsetHeight / 2;
  for (let at: Element | null = place; at instanceof HTMLElement && at !== root; at = at.offsetParent) {
    x += at.offsetLeft - (at === place ? 0 : at.scrollLeft);
    y += at.offsetTop - (at === place ? 0 : at.scrollTop);
  }
  return { x, y };
}
