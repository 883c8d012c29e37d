import { waitForPaint, delay } from './stage/frames.ts';

const TAKEOVER_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 50;
/** A video underneath needs some frames until it is visible. */
const OVERLAP_MS = 300;
const REPLACED = 'placard:replaced';

/**
 * Replaces the page with a new instance, so that a browser that runs for months gets a fresh page every night.
 * The pages are iframes in the first page, which stays as their empty host. No window ever navigates, because
 * engines paint a few empty frames between two documents of one window.
 */
export function createPageReplacement(deps: {
  /** A newer page has taken over the channel. */
  isChannelTakenOver(): boolean;
  /** Something is shown and painted. */
  isReadyToShow(): boolean;
  /** Another page covers this one: release everything. */
  onReplaced(): void;
}) {
  const host = window.top ?? window;
  const frameElement = window.frameElement;
  const neverAborted = new AbortController().signal;
  window.addEventListener(REPLACED, () => deps.onReplaced(), { once: true });

  async function takeOver(ownFrame: Element): Promise<void> {
    while (!deps.isReadyToShow()) {
      await delay(POLL_INTERVAL_MS, neverAborted);
    }
    await waitForPaint();
    ownFrame.classList.add('in-front');
    await delay(OVERLAP_MS, neverAborted);
    await waitForPaint();
    const others = listPageFrames(host).filter((other) => other !== ownFrame);
    host.dispatchEvent(new Event(REPLACED));
    for (const other of others) {
      other.contentWindow?.dispatchEvent(new Event(REPLACED));
      other.remove();
    }
    // Moves the keyboard focus to the visible page.
    window.focus();
  }

  if (frameElement) {
    document.documentElement.classList.add('framed');
    void takeOver(frameElement);
  }

  return {
    /**
     * Loads the page again, hidden under this one. The new page takes over the channel and, once it shows something,
     * replaces this page. Resolves with false when that failed.
     */
    async start(): Promise<boolean> {
      const frame = host.document.createElement('iframe');
      frame.className = 'page';
      frame.src = `/?${crypto.randomUUID()}`;
      host.document.body.append(frame);
      await delay(TAKEOVER_TIMEOUT_MS, neverAborted);
      // The new page has the channel, so this one gets no commands any more.
      if (deps.isChannelTakenOver()) {
        return true;
      }
      frame.remove();
      return false;
    },
  };
}

function listPageFrames(host: Window): HTMLIFrameElement[] {
  return [...host.document.querySelectorAll<HTMLIFrameElement>('iframe.page')];
}
