import { element } from '../screens/element.ts';
import { networkLines } from '../screens/fact-rows.ts';
import { momentText } from '../screens/time-text.ts';
import { wayHint, wayRow } from '../screens/way.ts';
import { faultText, type Words } from '../strings/strings.ts';
import { answerPage, type AnswerOf } from './answer-page.ts';
import { valueList, type MenuContext, type MenuPage } from './page.ts';

export function networkPage(context: MenuContext): MenuPage {
  const { words } = context;
  const { strings, language } = words;
  const { network } = strings.menu;
  return answerPage(context, {
    title: network.title,
    request: { kind: 'network_test' },
    kind: 'network',
    draw(answer) {
      const around = { server: answer.server, timezone: 'UTC', nowMs: answer.now_ms };
      const way = wayRow(words);
      way.show(answer.steps, around);
      const hint = wayHint(words, answer.steps, around);
      // A server tells its time in whole seconds, so no fraction of one would be true.
      const number = new Intl.NumberFormat(language, { maximumFractionDigits: 0, signDisplay: 'negative' });
      const measured = (value: number | null, text: (count: string) => string) =>
        value === null ? strings.menu.unknown : text(number.format(value));
      const offS = answer.clock_off_ms === null ? null : answer.clock_off_ms / 1_000;
      return [
        way.root,
        element('p', hint === null ? 'menu-note well' : 'problem', hint ?? network.well),
        valueList([
          [strings.facts.server, answer.server],
          [strings.facts.network, ...networkLines(answer, strings)],
          [network.answerAfter, measured(answer.round_trip_ms, network.milliseconds)],
          [network.clockOff, measured(offS, network.seconds)],
        ]),
      ];
    },
  });
}

export function playingPage(context: MenuContext): MenuPage {
  const { strings, language } = context.words;
  const { playing, unknown } = strings.menu;
  return answerPage(context, {
    title: playing.title,
    request: { kind: 'now_playing' },
    kind: 'playing',
    draw({ now, next, because, timezone, ...answer }) {
      const moment = (ms: number) => momentText(ms, timezone, language);
      const item = (one: typeof next) =>
        one === null ? [playing.nothing] : [`${playing.kinds[one.kind]} · ${one.content_id}`];
      const reason =
        because.source === 'schedule'
          ? playing.schedule(because.schedule_name ?? unknown)
          : playing[because.source];
      const programme = answer.held_revision === answer.target_revision ? playing.current : playing.loading;
      return [
        valueList([
          [playing.now, ...item(now)],
          ...(now
            ? ([
                [playing.since, moment(now.since_ms)],
                [playing.playlist, now.playlist_name ?? now.playlist_id],
              ] as const)
            : []),
          [playing.because, reason],
          ...(because.until_ms === null ? [] : ([[playing.until, moment(because.until_ms)]] as const)),
          [playing.next, ...item(next)],
          [playing.cloud, playing.connections[answer.connection]],
          [playing.programme, answer.target_revision === null ? unknown : programme],
        ]),
      ];
    },
  });
}

export function cachePage(context: MenuContext): MenuPage {
  const { words } = context;
  const { cache, unknown } = words.strings.menu;
  const count = new Intl.NumberFormat(words.language);
  return answerPage(context, {
    title: cache.title,
    request: { kind: 'cache' },
    kind: 'cache',
    draw: (answer) => [
      valueList([
        [cache.files, count.format(answer.files)],
        [cache.missing, count.format(answer.assets_missing)],
        [cache.used, bytesText(answer.cache_bytes, words)],
        [
          cache.limit,
          answer.max_cache_bytes === null ? cache.noLimit : bytesText(answer.max_cache_bytes, words),
        ],
        [cache.free, answer.free_bytes === null ? unknown : bytesText(answer.free_bytes, words)],
      ]),
    ],
  });
}

export function faultsPage(context: MenuContext): MenuPage {
  const { faults } = context.words.strings.menu;
  return answerPage(context, {
    title: faults.title,
    request: { kind: 'faults' },
    kind: 'faults',
    draw: (answer) =>
      answer.faults.length === 0
        ? [element('p', 'menu-note well', faults.none)]
        : [
            element(
              'ul',
              'menu-faults',
              ...answer.faults.map((fault) => faultItem(fault, answer, context.words)),
            ),
          ],
  });
}

function faultItem(
  { code, since_ms }: AnswerOf<'faults'>['faults'][number],
  { timezone }: AnswerOf<'faults'>,
  words: Words,
): HTMLElement {
  const since = words.strings.menu.faults.since(momentText(since_ms, timezone, words.language));
  const name = element('bdi', '', code);
  return element(
    'li',
    '',
    element('p', '', faultText(words, code) ?? code),
    element('p', 'menu-small', name, ` · ${since}`),
  );
}

function bytesText(bytes: number, { language }: Words): string {
  const large = bytes >= 1e9;
  const fractions = large || bytes < 1e7 ? 1 : 0;
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: large ? 'gigabyte' : 'megabyte',
    maximumFractionDigits: fractions,
  }).format(bytes / (large ? 1e9 : 1e6));
}
