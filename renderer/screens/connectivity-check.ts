import './connectivity-check.css';
import type { ConnectivityStep, ScreenInfo } from '@placard/protocol/stage';
import type { Locale } from '../strings/strings.ts';
import { element } from './element.ts';
import { statusIcon } from './status-icon.ts';
import { formatDate } from './format-time.ts';

/** The cloud that was checked, and when. */
type ConnectivityContext = Pick<ScreenInfo, 'server' | 'timezone' | 'now_ms'>;

/** The steps to the cloud, side by side, each with its status icon. */
export function connectivityRow({ strings }: Locale) {
  const root = element('ol', 'connectivity-steps');
  const { steps: names, states } = strings.connectivity;
  return {
    root,
    show(steps: readonly ConnectivityStep[], { server }: ConnectivityContext) {
      const tlsStepName = server.startsWith('https:') ? 'TLS' : 'TCP';
      root.replaceChildren(
        ...steps.map(({ step, state }) => {
          const name = step === 'tls' ? tlsStepName : names[step];
          const item = element(
            'li',
            `connectivity-step ${state}`,
            statusIcon(state),
            element('span', '', name),
          );
          item.setAttribute('aria-label', `${name}: ${states[state]}`);
          return item;
        }),
      );
    },
  };
}

/** What to do about the first step that fails; null when none does. */
export function connectivityHintText(
  locale: Locale,
  steps: readonly ConnectivityStep[],
  context: ConnectivityContext,
): string | null {
  const hint = steps.find(({ state }) => state === 'failed')?.hint;
  if (!hint) {
    return null;
  }
  return locale.strings.connectivity.hints[hint]({
    host: hostOf(context.server),
    date: formatDate(context.now_ms, context.timezone, locale.language),
  });
}

/** The host as typed: without scheme and path. */
const hostOf = (server: string): string => server.replace(/^\w+:\/\//, '').replace(/\/.*$/, '');
