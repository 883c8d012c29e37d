import { painted, pause } from './stage/frames.ts';

/** The page is replaced by itself, so a browser that runs for months starts afresh every night. */
export interface Renewal {
  /**
   * Loads the page once more, out of sight under this one. The new page takes the channel and, once it has
   * something to show, this page's place. Resolves with false when nothing has come of it.
   */
  begin(): Promise<boolean>;
}

const PATIENCE_MS = 10_000;
const LOOK_MS = 50;
/** A video below needs some frames until it covers what was above. */
const OVERLAP_MS = 300;
const REPLACED = 'placard:replaced';

export interface RenewalDeps {
  /** A newer page has the channel. */
  channelIsGone(): boolean;
  /** There is something to look at, and it is painted. */
  isWorthSeeing(): boolean;
  /** This page is covered by another one: let everything go. */
  onReplaced(): void;
}

/**
 * The pages stand as frames in the first one, which stays as their empty host. No page ever navigates: between
 * two documents of one window an engine paints a few frames of nothing.
 */
export function createRenewal(deps: RenewalDeps): Renewal {
  const host = window.top ?? window;
  const place = window.frameElement;
  const forever = new AbortController().signal;
  window.addEventListener(REPLACED, () => deps.onReplaced(), { once: true });

  async function takeOver(mine: Element): Promise<void> {
    while (!deps.isWorthSeeing()) await pause(LOOK_MS, forever);
    await painted();
    mine.classList.add('in-place');
    await pause(OVERLAP_MS, forever);
    await painted();
    const others = pagesOf(host).filter((other) => other !== mine);
    host.dispatchEvent(new Event(REPLACED));
    for (const other of others) {
      other.contentWindow?.dispatchEvent(new Event(REPLACED));
      other.remove();
    }
    // Keys go where the picture is.
    window.focus();
  }

  if (place) {
    document.documentElement.classList.add('framed');
    void takeOver(place);
  }

  return {
    async begin() {
      const frame = host.document.createElement('iframe');
      frame.className = 'page';
      frame.src = `/?${crypto.randomUUID()}`;
      host.document.body.append(frame);
      await pause(PATIENCE_MS, forever);
      // Without the channel it is the other page that is told what to show.
      if (deps.channelIsGone()) return true;
      frame.remove();
      return false;
    },
  };
}

function pagesOf(host: Window): HTMLIFrameElement[] {
  return [...host.document.querySelectorAll<HTMLIFrameElement>('iframe.page')];
}
