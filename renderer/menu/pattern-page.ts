import { element, setText } from '../screens/element.ts';
import type { MenuContext, MenuPage } from './menu-page.ts';
import { PATTERNS } from './patterns.ts';

/** Longer than the menu's timeout: whoever adjusts a display uses the display's own buttons. */
const IDLE_TIMEOUT_MS = 5 * 60_000;

/** Test patterns in physical pixels; any tap or arrow key shows the next one. */
export function patternPage(context: MenuContext): MenuPage {
  const { pattern: labels } = context.locale.strings.menu;
  const canvas = element('canvas', 'pattern');
  const name = element('span', 'pattern-name');
  const label = element('div', 'pattern-label', name, element('span', '', labels.keys));
  const root = element('div', 'pattern-page', canvas, label);
  let index = 0;
  let frame = 0;

  function draw(): void {
    cancelAnimationFrame(frame);
    const pattern = PATTERNS[index]!;
    canvas.width = Math.round(root.clientWidth * devicePixelRatio);
    canvas.height = Math.round(root.clientHeight * devicePixelRatio);
    canvas.dataset['pattern'] = pattern.kind;
    setText(name, labels.kinds[pattern.kind]);
    // Appending it again restarts its CSS animation.
    root.append(label);
    const canvasContext = canvas.getContext('2d', { alpha: false })!;
    const step = (atMs: number) => {
      pattern.draw(canvasContext, atMs);
      if (pattern.isAnimated) {
        frame = requestAnimationFrame(step);
      }
    };
    step(performance.now());
  }

  /** By touch, the last pattern is followed by the menu: touch has no "back". */
  function changePattern(delta: number, leaveAfterLast: boolean): void {
    if (leaveAfterLast && index + delta >= PATTERNS.length) {
      return context.back();
    }
    index = (index + delta + PATTERNS.length) % PATTERNS.length;
    draw();
  }

  root.addEventListener('click', () => changePattern(1, true));
  // The orientation or the resolution has changed.
  const resizeObserver = new ResizeObserver(() => draw());
  return {
    title: labels.title,
    root,
    isFullScreen: true,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    // Draws immediately and whenever the panel's size changes.
    onOpened: () => resizeObserver.observe(root),
    onClosed() {
      resizeObserver.disconnect();
      cancelAnimationFrame(frame);
    },
    onKey({ key }) {
      if (key === 'ArrowRight' || key === 'ArrowDown' || key === 'Enter' || key === ' ') {
        changePattern(1, false);
      } else if (key === 'ArrowLeft' || key === 'ArrowUp') {
        changePattern(-1, false);
      } else {
        return false;
      }
      return true;
    },
  };
}
