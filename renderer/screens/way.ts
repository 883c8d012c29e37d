import type { WayStep } from '../../src/stage-link/messages.ts';
import type { Words } from '../strings/strings.ts';
import { element } from './element.ts';
import { sign } from './sign.ts';
import { dayText } from './time-text.ts';

/** Where the way leads, and when it was tried. */
export interface WayFacts {
  server: string;
  timezone: string;
  /** Milliseconds since 1970 by this box. */
  nowMs: number;
}

/** The links of the chain to the cloud, side by side, each with its sign. */
export function wayRow({ strings }: Words) {
  const root = element('ol', 'way');
  const { steps: names, states } = strings.way;
  return {
    root,
    show(steps: readonly WayStep[], { server }: WayFacts) {
      const link = server.startsWith('https:') ? 'TLS' : 'TCP';
      root.replaceChildren(
        ...steps.map(({ step, state }) => {
          const name = step === 'tls' ? link : names[step];
          const item = element('li', `way-step ${state}`, sign(state), element('span', '', name));
          item.setAttribute('aria-label', `${name}: ${states[state]}`);
          return item;
        }),
      );
    },
  };
}

/** What to do about the first link that fails; null when none does. */
export function wayHint(words: Words, steps: readonly WayStep[], facts: WayFacts): string | null {
  const hint = steps.find(({ state }) => state === 'failed')?.hint;
  if (!hint) return null;
  return words.strings.way.hints[hint]({
    host: hostOf(facts.server),
    date: dayText(facts.nowMs, facts.timezone, words.language),
  });
}

/** As one would type it: without scheme and path. */
const hostOf = (server: string): string => server.replace(/^\w+:\/\//, '').replace(/\/.*$/, '');
