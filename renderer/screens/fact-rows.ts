import type { Strings } from '../strings/strings.ts';
import { element, setText } from './element.ts';
import { wallClock } from './time-text.ts';
import type { Facts, ViewContext } from './view.ts';

/** Header clock with its zone, as the technician would check it against a watch. */
export function clockCorner(context: ViewContext) {
  const time = element('span', 'clock-time');
  const date = element('span', 'clock-date');
  const root = element('div', 'clock', time, date);
  let timezone = 'UTC';
  return {
    root,
    show(facts: Facts) {
      ({ timezone } = facts);
    },
    tick() {
      const now = wallClock(context.wallMs(), timezone, context.words.language);
      setText(time, now.time);
      setText(date, `${now.date} · ${now.zone}`);
    },
  };
}

/** Server, version, serial and every network interface. */
export function factRows(strings: Strings) {
  const root = element('dl', 'facts');
  return {
    root,
    show(facts: Facts) {
      const words = strings.facts;
      const rows: [string, string[]][] = [
        [words.server, [facts.server]],
        [words.network, networkLines(facts, strings).slice(0, MOST_INTERFACES)],
        [words.serial, [facts.serial]],
        [words.version, [facts.player_version]],
      ];
      root.replaceChildren(
        ...rows.map(([name, lines]) =>
          element(
            'div',
            'fact',
            element('dt', '', name),
            ...lines.map((line) => element('dd', '', element('bdi', '', line))),
          ),
        ),
      );
    },
  };
}

/** A cable and a Wi-Fi; there is no room for more beside advice, and the menu tells all of them. */
const MOST_INTERFACES = 2;

/** One line for each interface that has an address; virtual ones come last. */
export function networkLines(facts: Pick<Facts, 'interfaces'>, { facts: words }: Strings): string[] {
  const connected = facts.interfaces.filter(({ addresses }) => addresses.length > 0);
  if (connected.length === 0) return [words.noNetwork];
  const virtualLast = connected.toSorted((a, b) => Number(a.kind === 'other') - Number(b.kind === 'other'));
  return virtualLast.map(({ name, kind, addresses, ssid, mac }) => {
    const kindName = kind === 'other' ? null : words[kind];
    const where = ssid ? `${kindName ?? name} “${ssid}”` : (kindName ?? name);
    return [`${addresses[0]!} (${where})`, mac].filter(Boolean).join(' · ');
  });
}
