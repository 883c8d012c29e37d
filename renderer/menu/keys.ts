const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** Keys that remote controls of different devices send for "back". */
const BACK_KEYS = new Set(['Escape', 'Backspace', 'BrowserBack', 'GoBack']);
const PRESS_KEYS = new Set(['Select', 'Accept']);

export const isBack = (key: string): boolean => BACK_KEYS.has(key);

/** Handles arrow keys, Tab and the remote control's "OK" within `root`; returns whether the key was one of them. */
export function moveOrPress(root: HTMLElement, event: Pick<KeyboardEvent, 'key' | 'shiftKey'>): boolean {
  const focusables = [
    ...root.querySelectorAll<HTMLElement>('button:not([disabled]), [data-scrolls][tabindex="0"]'),
  ];
  const active = focusables.find((focusable) => focusable === document.activeElement) ?? null;
  if (PRESS_KEYS.has(event.key)) {
    active?.click();
    return true;
  }
  if (event.key === 'Tab') {
    const index = active ? focusables.indexOf(active) : -1;
    focusables.at((index + (event.shiftKey ? -1 : 1)) % focusables.length)?.focus();
    return true;
  }
  const direction = DIRECTIONS[event.key];
  if (!direction) {
    return false;
  }
  if (active === null) {
    focusables[0]?.focus();
  } else if (!scrollIfPossible(active, direction[1])) {
    findNearest(root, active, focusables, direction)?.focus();
  }
  return true;
}

/** Scrolls a text that is longer than its element, until its end is reached. */
function scrollIfPossible(focusable: HTMLElement, down: number): boolean {
  if (!('scrolls' in focusable.dataset) || down === 0) {
    return false;
  }
  const before = focusable.scrollTop;
  focusable.scrollBy({ top: down * focusable.clientHeight * 0.5, behavior: 'instant' });
  return focusable.scrollTop !== before;
}

/** The nearest element in this direction; sideways distance weighs more than distance straight ahead. */
function findNearest(
  root: HTMLElement,
  from: HTMLElement,
  focusables: readonly HTMLElement[],
  [right, down]: readonly [number, number],
): HTMLElement | null {
  const start = centerOf(root, from);
  let best: HTMLElement | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const focusable of focusables) {
    const { x, y } = centerOf(root, focusable);
    const ahead = (x - start.x) * right + (y - start.y) * down;
    const aside = Math.abs((x - start.x) * down) + Math.abs((y - start.y) * right);
    const distance = ahead + 2 * aside;
    if (focusable === from || ahead <= 1 || distance >= bestDistance) {
      continue;
    }
    best = focusable;
    bestDistance = distance;
  }
  return best;
}

/** The center in the coordinates of the rotated page, so that arrow keys match what is seen. */
function centerOf(root: HTMLElement, focusable: HTMLElement): { x: number; y: number } {
  let x = focusable.offsetWidth / 2;
  let y = focusable.offsetHeight / 2;
  for (
    let ancestor: Element | null = focusable;
    ancestor instanceof HTMLElement && ancestor !== root;
    ancestor = ancestor.offsetParent
  ) {
    x += ancestor.offsetLeft - (ancestor === focusable ? 0 : ancestor.scrollLeft);
    y += ancestor.offsetTop - (ancestor === focusable ? 0 : ancestor.scrollTop);
  }
  return { x, y };
}
