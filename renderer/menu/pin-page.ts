import { element, setText } from '../screens/element.ts';
import { formatCountdown } from '../screens/format-time.ts';
import type { MenuResult } from './menu-client.ts';
import { button, failureText } from './menu-page.ts';
import type { MenuContext, MenuPage } from './menu-page.ts';

const MIN_DIGITS = 4;
const MAX_DIGITS = 8;

/** PIN entry by keyboard, touch, or the arrow keys of a remote control. */
export function pinPage(
  context: MenuContext,
  deps: {
    /** Milliseconds until the next attempt is allowed. */
    retryInMs: number;
    monoMs: () => number;
    unlocked(): void;
  },
): MenuPage {
  const { menu } = context.locale.strings;
  const { pin } = menu;
  let digits = '';
  let isSubmitting = false;
  /** The last digit was typed with a digit key. */
  let lastInputWasDigitKey = false;
  let lockedUntilMs = deps.monoMs() + deps.retryInMs;
  let countdownTimer: ReturnType<typeof setInterval> | undefined;

  const dots = element('div', 'pin-dots');
  dots.setAttribute('role', 'img');
  const message = element('p', 'pin-message');
  message.setAttribute('role', 'status');
  const digitButton = (name: string) => button(name, 'pin-key', () => enterDigit(name));
  const eraseButton = button(pin.erase, 'pin-key word', () => eraseDigit());
  const enterButton = button(pin.enter, 'pin-key word', () => void submit());
  const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map(digitButton);
  const pad = element('div', 'pin-pad', ...keys, eraseButton, digitButton('0'), enterButton);
  keys[4]!.dataset['first'] = '';

  const lockedMs = () => lockedUntilMs - deps.monoMs();

  function draw(): void {
    const locked = lockedMs() > 0;
    for (const key of pad.querySelectorAll('button')) {
      key.disabled = locked || isSubmitting;
    }
    enterButton.disabled ||= digits.length < MIN_DIGITS;
    dots.setAttribute('aria-label', pin.digits(digits.length));
    dots.replaceChildren(
      ...Array.from({ length: Math.max(MIN_DIGITS, digits.length) }, (_, i) =>
        element('span', i < digits.length ? 'pin-dot filled' : 'pin-dot'),
      ),
    );
    if (locked) {
      setText(message, pin.locked(formatCountdown(lockedMs())));
    }
  }

  function enterDigit(name: string): void {
    if (isSubmitting || lockedMs() > 0 || digits.length >= MAX_DIGITS) {
      return;
    }
    digits += name;
    setText(message, '');
    draw();
  }

  function eraseDigit(): void {
    digits = digits.slice(0, -1);
    draw();
  }

  function lockFor(ms: number): void {
    lockedUntilMs = deps.monoMs() + ms;
    if (ms <= 0 || countdownTimer) {
      return;
    }
    countdownTimer = setInterval(() => {
      if (lockedMs() <= 0) {
        stopCountdown();
        setText(message, '');
      }
      draw();
      if (lockedMs() <= 0) {
        context.refocus();
      }
    }, 1_000);
  }

  function stopCountdown(): void {
    clearInterval(countdownTimer);
    countdownTimer = undefined;
  }

  async function submit(): Promise<void> {
    if (isSubmitting || lockedMs() > 0 || digits.length < MIN_DIGITS) {
      return;
    }
    isSubmitting = true;
    draw();
    const result = await context.request({ kind: 'unlock', pin: digits });
    isSubmitting = false;
    digits = '';
    lastInputWasDigitKey = false;
    if (result.kind === 'unlocked') {
      return deps.unlocked();
    }
    setText(message, rejectionText(result));
    draw();
    context.refocus();
  }

  function rejectionText(result: MenuResult): string {
    if (result.kind !== 'refused' || (result.reason !== 'pin_wrong' && result.reason !== 'locked')) {
      return failureText(context, result);
    }
    lockFor(result.retry_in_ms);
    return pin.wrong;
  }

  return {
    title: pin.title,
    root: element('div', 'menu-page pin', dots, message, pad),
    onOpened() {
      lockFor(deps.retryInMs);
      draw();
    },
    onClosed: stopCountdown,
    onKey({ key, repeat }) {
      if (/^\d$/.test(key)) {
        enterDigit(key);
        // Enter means "OK" after a typed digit, and the focused digit when navigating with arrow keys.
        lastInputWasDigitKey = true;
        if (!enterButton.disabled) {
          enterButton.focus();
        }
        return true;
      }
      if (key === 'Enter' && lastInputWasDigitKey && enterButton.disabled) {
        return true;
      }
      if (key.startsWith('Arrow')) {
        lastInputWasDigitKey = false;
      }
      // A held Backspace that has deleted everything must not leave the page as well.
      if (key !== 'Backspace' || (digits === '' && !repeat)) {
        return false;
      }
      eraseDigit();
      return true;
    },
  };
}
