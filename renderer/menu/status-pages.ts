import { element } from '../screens/element.ts';
import { networkLines } from '../screens/player-info.ts';
import { formatDateTime } from '../screens/format-time.ts';
import { connectivityHintText, connectivityRow } from '../screens/connectivity-check.ts';
import { faultText } from '../strings/strings.ts';
import type { Locale } from '../strings/strings.ts';
import { responsePage } from './response-page.ts';
import type { ResponseOf } from './response-page.ts';
import { valueList } from './menu-page.ts';
import type { MenuContext, MenuPage } from './menu-page.ts';

export function networkPage(context: MenuContext): MenuPage {
  const { locale } = context;
  const { strings, language } = locale;
  const { network } = strings.menu;
  return responsePage(context, {
    title: network.title,
    request: { kind: 'network_test' },
    kind: 'network',
    render(response) {
      const connectivityContext = { ...response, timezone: 'UTC' };
      const stepRow = connectivityRow(locale);
      stepRow.show(response.steps, connectivityContext);
      const hint = connectivityHintText(locale, response.steps, connectivityContext);
      // The server's `Date` header has a resolution of one second, so fractions are meaningless.
      const numberFormat = new Intl.NumberFormat(language, {
        maximumFractionDigits: 0,
        signDisplay: 'negative',
      });
      const formatMeasurement = (value: number | null, text: (count: string) => string) =>
        value === null ? strings.menu.unknown : text(numberFormat.format(value));
      const clockOffsetS = response.clock_offset_ms === null ? null : response.clock_offset_ms / 1_000;
      return [
        stepRow.root,
        element('p', hint === null ? 'menu-note success' : 'problem', hint ?? network.ok),
        valueList([
          [strings.playerInfo.server, response.server],
          [strings.playerInfo.network, ...networkLines(response, strings)],
          [network.responseTime, formatMeasurement(response.round_trip_ms, network.milliseconds)],
          [network.clockOffset, formatMeasurement(clockOffsetS, network.seconds)],
        ]),
      ];
    },
  });
}

export function playingPage(context: MenuContext): MenuPage {
  const { strings, language } = context.locale;
  const { playing, unknown } = strings.menu;
  return responsePage(context, {
    title: playing.title,
    request: { kind: 'now_playing' },
    kind: 'playing',
    render({ now, next, because, timezone, ...response }) {
      const formatMoment = (ms: number) => formatDateTime(ms, timezone, language);
      const itemLines = (playingItem: typeof next) =>
        playingItem === null
          ? [playing.nothing]
          : [`${playing.kinds[playingItem.kind]} · ${playingItem.content_id}`];
      const reason =
        because.source === 'schedule'
          ? playing.schedule(because.schedule_name ?? unknown)
          : playing[because.source];
      const contentStatus =
        response.held_revision === response.target_revision ? playing.current : playing.loading;
      return [
        valueList([
          [playing.now, ...itemLines(now)],
          ...(now
            ? ([
                [playing.since, formatMoment(now.since_ms)],
                [playing.playlist, now.playlist_name ?? now.playlist_id],
              ] as const)
            : []),
          [playing.reason, reason],
          ...(because.until_ms === null ? [] : ([[playing.until, formatMoment(because.until_ms)]] as const)),
          [playing.next, ...itemLines(next)],
          [playing.cloud, playing.connections[response.connection]],
          [playing.contentStatus, response.target_revision === null ? unknown : contentStatus],
        ]),
      ];
    },
  });
}

export function cachePage(context: MenuContext): MenuPage {
  const { locale } = context;
  const { cache, unknown } = locale.strings.menu;
  const numberFormat = new Intl.NumberFormat(locale.language);
  return responsePage(context, {
    title: cache.title,
    request: { kind: 'cache' },
    kind: 'cache',
    render: (response) => [
      valueList([
        [cache.files, numberFormat.format(response.files)],
        [cache.missing, numberFormat.format(response.assets_missing)],
        [cache.used, formatBytes(response.cache_bytes, locale)],
        [
          cache.limit,
          response.max_cache_bytes === null ? cache.noLimit : formatBytes(response.max_cache_bytes, locale),
        ],
        [cache.free, response.free_bytes === null ? unknown : formatBytes(response.free_bytes, locale)],
      ]),
    ],
  });
}

export function faultsPage(context: MenuContext): MenuPage {
  const { faults } = context.locale.strings.menu;
  return responsePage(context, {
    title: faults.title,
    request: { kind: 'faults' },
    kind: 'faults',
    render: (response) =>
      response.faults.length === 0
        ? [element('p', 'menu-note success', faults.none)]
        : [
            element(
              'ul',
              'menu-faults',
              ...response.faults.map((fault) => faultItem(fault, response, context.locale)),
            ),
          ],
  });
}

function faultItem(
  { code, since_ms }: ResponseOf<'faults'>['faults'][number],
  { timezone }: ResponseOf<'faults'>,
  locale: Locale,
): HTMLElement {
  const since = locale.strings.menu.faults.since(formatDateTime(since_ms, timezone, locale.language));
  const name = element('bdi', '', code);
  return element(
    'li',
    '',
    element('p', '', faultText(locale, code) ?? code),
    element('p', 'menu-small', name, ` · ${since}`),
  );
}

function formatBytes(bytes: number, { language }: Locale): string {
  const isLarge = bytes >= 1e9;
  const maxFractionDigits = isLarge || bytes < 1e7 ? 1 : 0;
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: isLarge ? 'gigabyte' : 'megabyte',
    maximumFractionDigits: maxFractionDigits,
  }).format(bytes / (isLarge ? 1e9 : 1e6));
}
