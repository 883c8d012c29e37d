import type { ScreenInfo } from '@placard/protocol/stage';
import type { Strings } from '../strings/strings.ts';
import { element, setText } from './element.ts';
import { formatWallClock } from './format-time.ts';
import type { ViewContext } from './view.ts';

/** Header clock with its time zone, for comparing it with a watch. */
export function headerClock(context: ViewContext) {
  const time = element('span', 'clock-time');
  const date = element('span', 'clock-date');
  const root = element('div', 'clock', time, date);
  let timezone = 'UTC';
  return {
    root,
    show(info: ScreenInfo) {
      ({ timezone } = info);
    },
    tick() {
      const now = formatWallClock(context.wallMs(), timezone, context.locale.language);
      setText(time, now.time);
      setText(date, `${now.date} · ${now.zone}`);
    },
  };
}

/** Server, version, serial and every network interface. */
export function playerInfoRows(strings: Strings) {
  const root = element('dl', 'player-info');
  return {
    root,
    show(info: ScreenInfo) {
      const labels = strings.playerInfo;
      const rows: [string, string[]][] = [
        [labels.server, [info.server]],
        [labels.network, networkLines(info, strings).slice(0, MAX_INTERFACES)],
        [labels.serial, [info.serial]],
        [labels.version, [info.player_version]],
      ];
      root.replaceChildren(
        ...rows.map(([name, lines]) =>
          element(
            'div',
            'player-info-item',
            element('dt', '', name),
            ...lines.map((line) => element('dd', '', element('bdi', '', line))),
          ),
        ),
      );
    },
  };
}

/** One wired and one wireless; there is no space for more beside the advice, and the menu lists all of them. */
const MAX_INTERFACES = 2;

/** One line for each interface that has an address; virtual ones last. */
export function networkLines(
  info: Pick<ScreenInfo, 'interfaces'>,
  { playerInfo: labels }: Strings,
): string[] {
  const connected = info.interfaces.filter(({ addresses }) => addresses.length > 0);
  if (connected.length === 0) {
    return [labels.noNetwork];
  }
  const virtualLast = connected.toSorted((a, b) => Number(a.kind === 'other') - Number(b.kind === 'other'));
  return virtualLast.map(({ name, kind, addresses, ssid, mac }) => {
    const kindName = kind === 'other' ? null : labels[kind];
    const where = ssid ? `${kindName ?? name} “${ssid}”` : (kindName ?? name);
    return [`${addresses[0]!} (${where})`, mac].filter(Boolean).join(' · ');
  });
}
