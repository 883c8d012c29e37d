import { expect, test } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { createLiveRequests } from './live-requests.ts';
import type { LiveEvent, LiveRequests } from './live-requests.ts';

const picture = (image: string) => ({ kind: 'picture', image }) as const;
const NO_ANSWER = { kind: 'none', reason: 'no_answer', problem: null };
const { signal: never } = new AbortController();

/** Two nodes that deliver events to each other at once. */
function setUp() {
  const clock = createManualClock();
  const events: LiveEvent[] = [];
  const publish = async (event: LiveEvent) => {
    events.push(event);
    node.handleEvent(event);
    other.handleEvent(event);
  };
  const node: LiveRequests = createLiveRequests({ clock, publish });
  const other: LiveRequests = createLiveRequests({ clock, publish });
  const asked = () => events.filter(({ type }) => type === 'live_requested').length;
  return { clock, node, other, asked };
}

/** Lets what is resolved run. */
const settled = () => new Promise((done) => setImmediate(done));

test('all who wait share a picture, on every node', async () => {
  const { node: first, other: second, asked } = setUp();
  const answers = [first, first, second].map((node) => node.ask('dev_1', 'picture', never));
  expect(asked()).toBe(1);
  expect(second.isAwaited('dev_1', 'picture')).toBe(true);
  expect(second.isAwaited('dev_2', 'picture')).toBe(false);
  await second.answer('dev_1', 'picture', picture('a'));
  expect(await Promise.all(answers)).toEqual([picture('a'), picture('a'), picture('a')]);
  expect(first.isAwaited('dev_1', 'picture')).toBe(false);
});

test('a device is asked once a second, whoever asks, and each device by itself', async () => {
  const { clock, node, asked } = setUp();
  const first = node.ask('dev_1', 'picture', never);
  await node.answer('dev_1', 'picture', picture('a'));
  await first;
  clock.advance(400);
  const next = [node.ask('dev_1', 'picture', never), node.ask('dev_1', 'picture', never)];
  void node.ask('dev_2', 'picture', never);
  expect(asked()).toBe(2);
  clock.advance(599);
  await settled();
  expect(asked()).toBe(2);
  clock.advance(1);
  await settled();
  expect(asked()).toBe(3);
  await node.answer('dev_1', 'picture', picture('b'));
  expect(await Promise.all(next)).toEqual([picture('b'), picture('b')]);
});

test('who gets no answer is told so after ten seconds, and then the device may be asked again', async () => {
  const { clock, node, asked } = setUp();
  const first = node.ask('dev_1', 'picture', never);
  clock.advance(9_000);
  const late = node.ask('dev_1', 'picture', never);
  expect(asked()).toBe(1);
  clock.advance(1_000);
  expect(await Promise.all([first, late])).toEqual([NO_ANSWER, NO_ANSWER]);
  expect(node.isAwaited('dev_1', 'picture')).toBe(false);
  void node.ask('dev_1', 'picture', never);
  expect(asked()).toBe(2);
});

test('who leaves waits no longer, for the turn or for the answer', async () => {
  const { node, asked } = setUp();
  const leaving = new AbortController();
  const first = node.ask('dev_1', 'picture', leaving.signal);
  const joined = node.ask('dev_1', 'picture', never);
  leaving.abort();
  expect(await first).toEqual(NO_ANSWER);
  await node.answer('dev_1', 'picture', picture('a'));
  expect(await joined).toEqual(picture('a'));
  const gone = new AbortController();
  const inTurn = node.ask('dev_1', 'picture', gone.signal);
  gone.abort();
  expect(await inTurn).toEqual(NO_ANSWER);
  expect(asked()).toBe(1);
});

test('a request that cannot be told to the nodes fails at once', async () => {
  const clock = createManualClock();
  const node = createLiveRequests({ clock, publish: () => Promise.reject(new Error('disk full')) });
  const failing = node.ask('dev_1', 'picture', never);
  const joined = node.ask('dev_1', 'picture', never);
  await expect(failing).rejects.toThrow('disk full');
  expect(await joined).toEqual(NO_ANSWER);
});
