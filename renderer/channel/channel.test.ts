import { beforeEach, describe, expect, test } from 'vitest';
import { VIDEO_CLASSES } from '@placard/protocol/stage';
import type { FromStageMessage, ToStageMessage } from '@placard/protocol/stage';
import { createChannel } from './channel.ts';
import type { Channel, ConnectionEvents } from './channel.ts';

interface TestSocket extends ConnectionEvents {
  sent: FromStageMessage[];
}

let sockets: TestSocket[];
let timers: { ms: number; run: () => void }[];
let received: ToStageMessage[];
let nowMs: number;
let channel: Channel;

const hello: Extract<FromStageMessage, { type: 'hello' }> = {
  type: 'hello',
  protocol: 1,
  page_id: 'p1',
  current: null,
};

beforeEach(() => {
  sockets = [];
  timers = [];
  received = [];
  nowMs = 1_000;
  channel = createChannel({
    connect: (on) => {
      const sent: FromStageMessage[] = [];
      sockets.push({ ...on, sent });
      return { send: (text) => sent.push(JSON.parse(text)) };
    },
    createHello: () => hello,
    onMessage: (message) => received.push(message),
    monoMs: () => nowMs,
    setTimer: (ms, run) => timers.push({ ms, run }),
  });
});

const started = (showing_id: string, atMs: number) => ({ type: 'started' as const, showing_id, atMs });

describe('the channel', () => {
  test('sends hello first, then events with their age', () => {
    sockets[0]!.open();
    nowMs = 1_250;
    channel.sendEvent(started('a', 1_200));
    expect(sockets[0]!.sent).toEqual([hello, { type: 'started', seq: 1, showing_id: 'a', ago_ms: 50 }]);
  });

  test('sends the video capabilities once they are known, and again to every runtime', () => {
    const capabilities = {
      type: 'capabilities' as const,
      videos: [{ ...VIDEO_CLASSES[0]!, supported: true, smooth: false, power_efficient: false }],
      display: { width: 1920, height: 1080 },
    };
    sockets[0]!.open();
    channel.sendCapabilities(capabilities);
    expect(sockets[0]!.sent).toEqual([hello, capabilities]);
    sockets[0]!.close(1006);
    timers[0]!.run();
    sockets[1]!.open();
    expect(sockets[1]!.sent).toEqual([hello, capabilities]);
  });

  test('keeps events while the runtime is away and sends them after hello, in order', () => {
    channel.sendEvent(started('a', 1_000));
    channel.sendEvent({ type: 'ready', showing_id: 'b' });
    nowMs = 5_000;
    channel.sendEvent({
      type: 'ended',
      showing_id: 'a',
      atMs: 4_000,
      shown_ms: 3_000,
      outcome: 'completed',
      reason: null,
    });
    nowMs = 9_000;
    sockets[0]!.open();
    expect(sockets[0]!.sent).toEqual([
      hello,
      { type: 'started', seq: 1, showing_id: 'a', ago_ms: 8_000 },
      {
        type: 'ended',
        seq: 2,
        showing_id: 'a',
        ago_ms: 5_000,
        shown_ms: 3_000,
        outcome: 'completed',
        reason: null,
      },
    ]);
  });

  test('sends only unacknowledged events again after a second connection', () => {
    sockets[0]!.open();
    channel.sendEvent(started('a', 1_000));
    channel.sendEvent(started('b', 1_000));
    channel.sendEvent(started('c', 1_000));
    sockets[0]!.message('{"type":"ack","seq":2}');
    sockets[0]!.close(1006);
    timers[0]!.run();
    nowMs = 3_000;
    sockets[1]!.open();
    expect(sockets[1]!.sent).toEqual([hello, { type: 'started', seq: 3, showing_id: 'c', ago_ms: 2_000 }]);
    expect(received).toEqual([]);
  });

  test('drops the oldest events when none is ever acknowledged', () => {
    sockets[0]!.open();
    for (let i = 1; i <= 2_000; i++) {
      channel.sendEvent(started(`s${i}`, 1_000));
    }
    sockets[0]!.close(1006);
    timers[0]!.run();
    sockets[1]!.open();
    const again = sockets[1]!.sent.slice(1);
    expect(again).toHaveLength(500);
    expect(again.at(-1)).toMatchObject({ seq: 2_000, showing_id: 's2000' });
  });

  test('reconnects quickly at first, and at least every two seconds', () => {
    for (let i = 0; i < 80; i++) {
      sockets.at(-1)!.close(1006);
      timers.at(-1)!.run();
    }
    const delays = timers.map(({ ms }) => ms);
    expect(delays.slice(0, 6)).toEqual([100, 200, 300, 400, 500, 500]);
    expect(delays.at(-1)).toBe(2_000);
  });

  test('sends nothing any more once a newer page has the channel', () => {
    sockets[0]!.open();
    sockets[0]!.close(4001);
    expect(timers).toEqual([]);
  });

  test('passes known messages on and ignores all others', () => {
    const socket = sockets[0]!;
    socket.open();
    socket.message('{"type":"clear"}');
    socket.message('{"type":"from_the_future"}');
    socket.message('{"type":"cut"}');
    socket.message('not json');
    socket.message(new Uint8Array());
    expect(received).toEqual([{ type: 'clear' }]);
  });

  test('returns whether a menu request could be sent', () => {
    const request = { type: 'menu_request' as const, id: '1', request: { kind: 'open' as const } };
    expect(channel.sendMenuRequest(request)).toBe(false);
    sockets[0]!.open();
    expect(channel.sendMenuRequest(request)).toBe(true);
    expect(sockets[0]!.sent).toEqual([hello, request]);
    sockets[0]!.close(1006);
    expect(channel.sendMenuRequest(request)).toBe(false);
    expect(sockets[0]!.sent).toHaveLength(2);
  });

  test('drops beats while the runtime is away', () => {
    channel.sendBeat({ type: 'beat', frames: 1, dropped_frames: 0 });
    sockets[0]!.open();
    expect(sockets[0]!.sent).toEqual([hello]);
  });
});
