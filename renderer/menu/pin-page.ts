import { element, setText } from '../screens/element.ts';
import { countdown } from '../screens/time-text.ts';
import type { Reply } from './conversation.ts';
import { button, whyNot, type MenuContext, type MenuPage } from './page.ts';

const FEWEST_DIGITS = 4;
const MOST_DIGITS = 8;

/** Digits by key, by finger, or by the arrows of a remote control. */
export function pinPage(
  context: MenuContext,
  deps: {
    /** Milliseconds until a PIN is listened to. */
    retryInMs: number;
    monoMs: () => number;
    unlocked(): void;
  },
): MenuPage {
  const { menu } = context.words.strings;
  const { pin } = menu;
  let digits = '';
  let asking = false;
  /** The last digit came from a key of its own. */
  let typed = false;
  let lockedUntil = deps.monoMs() + deps.retryInMs;
  let ticking: ReturnType<typeof setInterval> | null = null;

  const dots = element('div', 'pin-dots');
  dots.setAttribute('role', 'img');
  const says = element('p', 'pin-says');
  says.setAttribute('role', 'status');
  const digit = (name: string) => button(name, 'pin-key', () => type(name));
  const erase = button(pin.erase, 'pin-key word', () => rub());
  const enter = button(pin.enter, 'pin-key word', () => void submit());
  const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map(digit);
  const pad = element('div', 'pin-pad', ...keys, erase, digit('0'), enter);
  keys[4]!.dataset['first'] = '';

  const lockedMs = () => lockedUntil - deps.monoMs();

  function draw(): void {
    const locked = lockedMs() > 0;
    for (const key of pad.querySelectorAll('button')) key.disabled = locked || asking;
    enter.disabled ||= digits.length < FEWEST_DIGITS;
    dots.setAttribute('aria-label', pin.digits(digits.length));
    dots.replaceChildren(
      ...Array.from({ length: Math.max(FEWEST_DIGITS, digits.length) }, (_, i) =>
        element('span', i < digits.length ? 'pin-dot filled' : 'pin-dot'),
      ),
    );
    if (locked) setText(says, pin.locked(countdown(lockedMs())));
  }

  function type(name: string): void {
    if (asking || lockedMs() > 0 || digits.length >= MOST_DIGITS) return;
    digits += name;
    setText(says, '');
    draw();
  }

  function rub(): void {
    digits = digits.slice(0, -1);
    draw();
  }

  function lockFor(ms: number): void {
    lockedUntil = deps.monoMs() + ms;
    if (ms <= 0 || ticking) return;
    ticking = setInterval(() => {
      if (lockedMs() <= 0) {
        stopTicking();
        setText(says, '');
      }
      draw();
      if (lockedMs() <= 0) context.refocus();
    }, 1_000);
  }

  function stopTicking(): void {
    if (ticking) clearInterval(ticking);
    ticking = null;
  }

  async function submit(): Promise<void> {
    if (asking || lockedMs() > 0 || digits.length < FEWEST_DIGITS) return;
    asking = true;
    draw();
    const reply = await context.ask({ kind: 'unlock', pin: digits });
    asking = false;
    digits = '';
    typed = false;
    if (reply.kind === 'unlocked') return deps.unlocked();
    setText(says, refusal(reply));
    draw();
    context.refocus();
  }

  function refusal(reply: Reply): string {
    if (reply.kind !== 'refused' || (reply.reason !== 'pin_wrong' && reply.reason !== 'locked')) {
      return whyNot(context, reply);
    }
    lockFor(reply.retry_in_ms);
    return pin.wrong;
  }

  return {
    title: pin.title,
    root: element('div', 'menu-page pin', dots, says, pad),
    opened() {
      lockFor(deps.retryInMs);
      draw();
    },
    closed: stopTicking,
    key({ key, repeat }) {
      if (/^\d$/.test(key)) {
        type(key);
        // To whoever types, Enter means "OK"; to whoever steers, the digit under the focus.
        typed = true;
        if (!enter.disabled) enter.focus();
        return true;
      }
      if (key === 'Enter' && typed && enter.disabled) return true;
      if (key.startsWith('Arrow')) typed = false;
      // Held down until nothing is left, it does not leave as well.
      if (key !== 'Backspace' || (digits === '' && !repeat)) return false;
      rub();
      return true;
    },
  };
}
