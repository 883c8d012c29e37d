import type { MenuAnswer, MenuRequest } from '../../src/stage-link/messages.ts';
import { FACTS, wayUpTo } from './scenes.ts';
import type { StageRig } from './stage-rig.ts';

/** What a runtime answers when everything is well, with long names. */
export const ANSWERS = {
  open: {
    kind: 'opened',
    access: 'all',
    retry_in_ms: 0,
    device_name: 'Window to the left of the main entrance, Berlin Mitte',
    local_orientation: null,
  },
  unlock: { kind: 'unlocked' },
  close: { kind: 'done' },
  network_test: {
    kind: 'network',
    server: FACTS.server,
    steps: wayUpTo('tls', 'no_answer'),
    interfaces: FACTS.interfaces,
    round_trip_ms: 1_234,
    clock_off_ms: -12_345,
    now_ms: FACTS.now_ms,
  },
  now_playing: {
    kind: 'playing',
    now: {
      content_id: 'asset_01JD3QW8Y2M4N6P8R0T2V4X6Z8',
      item_id: 'item_01JD3QW8Y2M4N6P8R0T2V4X6Z8',
      kind: 'video',
      playlist_id: 'pl_01JD3QW8Y2M4N6P8R0T2V4X6Z8',
      playlist_name: 'Autumn collection, second half, with the new offers for members',
      since_ms: FACTS.now_ms - 4_000,
    },
    next: {
      content_id: 'asset_01JD3QW8Y2M4N6P8R0T2V4X6Z9',
      item_id: 'item_01JD3QW8Y2M4N6P8R0T2V4X6Z9',
      kind: 'image',
      playlist_id: 'pl_01JD3QW8Y2M4N6P8R0T2V4X6Z8',
      playlist_name: 'Autumn collection, second half, with the new offers for members',
    },
    because: {
      source: 'schedule',
      schedule_name: 'Weekdays in the shop windows, until the sale begins',
      until_ms: FACTS.now_ms + 3_600_000,
    },
    connection: 'online',
    timezone: 'Europe/Berlin',
    held_revision: 'one',
    target_revision: 'two',
  },
  cache: {
    kind: 'cache',
    cache_bytes: 12_345_678_901,
    max_cache_bytes: null,
    free_bytes: 98_765_432,
    files: 1_234,
    assets_missing: 12,
  },
  faults: {
    kind: 'faults',
    timezone: 'Europe/Berlin',
    faults: [
      'cloud.not_placard',
      'disk.readonly',
      'playback.decode_failed',
      'playback.nothing_playable',
      'stage.safe_mode',
      'from.the_future',
    ].map((code, i) => ({ code, since_ms: FACTS.now_ms - i * 3_600_000 })),
  },
  save_logs: {
    kind: 'logs_saved',
    places: [
      '/var/lib/placard/logs/placard-support-2026-11-20T14-05-00.txt',
      '/media/usb0/placard-support-2026-11-20T14-05-00.txt',
    ],
  },
  set_orientation: { kind: 'done' },
  clear_cache: { kind: 'done' },
  re_pair: { kind: 'done' },
  restart: { kind: 'done' },
  reboot: { kind: 'done' },
} satisfies Record<MenuRequest['kind'], MenuAnswer>;

export interface MenuRuntime {
  /** Everything that the page has asked so far. */
  readonly asked: readonly MenuRequest[];
  /** Answers in another way from now on; null: not at all. */
  answer(kind: MenuRequest['kind'], answer: MenuAnswer | null): void;
  stop(): void;
}

const LOOK_EVERY_MS = 10;

/** Answers the menu of a page as a runtime would. */
export function startMenuRuntime(rig: StageRig): MenuRuntime {
  const answers: Record<MenuRequest['kind'], MenuAnswer | null> = { ...ANSWERS };
  const asked: MenuRequest[] = [];
  let heard = rig.said.length;
  const looking = setInterval(() => {
    for (; heard < rig.said.length; heard++) {
      const message = rig.said[heard]!;
      if (message.type !== 'menu_request') continue;
      asked.push(message.request);
      const answer = answers[message.request.kind];
      if (answer) rig.send({ type: 'menu_answer', id: message.id, answer });
    }
  }, LOOK_EVERY_MS);
  return {
    asked,
    answer(kind, answer) {
      answers[kind] = answer;
    },
    stop: () => clearInterval(looking),
  };
}

/** Refused for this reason. */
export const refused = (
  reason: Extract<MenuAnswer, { kind: 'refused' }>['reason'],
  retry_in_ms = 0,
  message = '',
): MenuAnswer => ({ kind: 'refused', reason, retry_in_ms, message });
