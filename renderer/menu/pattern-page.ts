import { element, setText } from '../screens/element.ts';
import type { MenuContext, MenuPage } from './page.ts';
import { PATTERNS } from './patterns.ts';

/** Somebody who sets up a display by it has the hands on the display's own buttons. */
const PATIENCE_MS = 5 * 60_000;

/** Test pictures, in the true pixels of the panel; any tap or arrow key shows the next one. */
export function patternPage(context: MenuContext): MenuPage {
  const { pattern: words } = context.words.strings.menu;
  const canvas = element('canvas', 'pattern');
  const name = element('span', 'pattern-name');
  const label = element('div', 'pattern-label', name, element('span', '', words.keys));
  const root = element('div', 'pattern-page', canvas, label);
  let at = 0;
  let frame = 0;

  function draw(): void {
    cancelAnimationFrame(frame);
    const pattern = PATTERNS[at]!;
    canvas.width = Math.round(root.clientWidth * devicePixelRatio);
    canvas.height = Math.round(root.clientHeight * devicePixelRatio);
    canvas.dataset['pattern'] = pattern.kind;
    setText(name, words.kinds[pattern.kind]);
    // Put there anew, it shows itself for a moment again.
    root.append(label);
    const paint = canvas.getContext('2d', { alpha: false })!;
    const step = (atMs: number) => {
      pattern.draw(paint, atMs);
      if (pattern.moves) frame = requestAnimationFrame(step);
    };
    step(performance.now());
  }

  /** After the last one, by finger, comes the menu: a finger has no "back". */
  function turn(by: number, ends: boolean): void {
    if (ends && at + by >= PATTERNS.length) return context.back();
    at = (at + by + PATTERNS.length) % PATTERNS.length;
    draw();
  }

  root.addEventListener('click', () => turn(1, true));
  // The picture was turned, or another resolution was chosen.
  const panel = new ResizeObserver(() => draw());
  return {
    title: words.title,
    root,
    bare: true,
    patienceMs: PATIENCE_MS,
    // Draws at once, and whenever the panel changes.
    opened: () => panel.observe(root),
    closed() {
      panel.disconnect();
      cancelAnimationFrame(frame);
    },
    key({ key }) {
      if (key === 'ArrowRight' || key === 'ArrowDown' || key === 'Enter' || key === ' ') turn(1, false);
      else if (key === 'ArrowLeft' || key === 'ArrowUp') turn(-1, false);
      else return false;
      return true;
    },
  };
}
