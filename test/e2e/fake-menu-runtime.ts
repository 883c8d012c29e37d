import type { MenuResponse, MenuRequest } from '@placard/protocol/stage';
import { SCREEN_INFO, connectivityStepsUpTo } from './screen-fixtures.ts';
import type { StageRig } from './stage-rig.ts';

/** Responses of a runtime without faults, with long names. */
export const RESPONSES = {
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
    server: SCREEN_INFO.server,
    steps: connectivityStepsUpTo('tls', 'no_answer'),
    interfaces: SCREEN_INFO.interfaces,
    round_trip_ms: 1_234,
    clock_offset_ms: -12_345,
    now_ms: SCREEN_INFO.now_ms,
  },
  now_playing: {
    kind: 'playing',
    now: {
      content_id: 'asset_01JD3QW8Y2M4N6P8R0T2V4X6Z8',
      item_id: 'item_01JD3QW8Y2M4N6P8R0T2V4X6Z8',
      kind: 'video',
      playlist_id: 'pl_01JD3QW8Y2M4N6P8R0T2V4X6Z8',
      playlist_name: 'Autumn collection, second half, with the new offers for members',
      since_ms: SCREEN_INFO.now_ms - 4_000,
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
      until_ms: SCREEN_INFO.now_ms + 3_600_000,
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
    ].map((code, i) => ({ code, since_ms: SCREEN_INFO.now_ms - i * 3_600_000 })),
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
} satisfies Record<MenuRequest['kind'], MenuResponse>;

export interface FakeMenuRuntime {
  /** All requests of the page so far. */
  readonly requests: readonly MenuRequest[];
  /** Answers in another way from now on; null: not at all. */
  respondWith(kind: MenuRequest['kind'], response: MenuResponse | null): void;
  stop(): void;
}

const POLL_INTERVAL_MS = 10;

/** Answers the menu requests of a page as a runtime would. */
export function startFakeMenuRuntime(rig: StageRig): FakeMenuRuntime {
  const responses: Record<MenuRequest['kind'], MenuResponse | null> = { ...RESPONSES };
  const requests: MenuRequest[] = [];
  let nextIndex = rig.messages.length;
  const polling = setInterval(() => {
    for (; nextIndex < rig.messages.length; nextIndex++) {
      const message = rig.messages[nextIndex]!;
      if (message.type !== 'menu_request') {
        continue;
      }
      requests.push(message.request);
      const response = responses[message.request.kind];
      if (response) {
        rig.send({ type: 'menu_response', id: message.id, response });
      }
    }
  }, POLL_INTERVAL_MS);
  return {
    requests,
    respondWith(kind, response) {
      responses[kind] = response;
    },
    stop: () => clearInterval(polling),
  };
}

/** A refusal with this reason. */
export const refusedResponse = (
  reason: Extract<MenuResponse, { kind: 'refused' }>['reason'],
  retry_in_ms = 0,
  message = '',
): MenuResponse => ({ kind: 'refused', reason, retry_in_ms, message });
