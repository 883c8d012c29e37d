import { expect, test } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { createLiveRequests } from './live-requests.ts';
import type { LiveEvent, LiveRequests, LiveResult } from './live-requests.ts';

const picture = (image: string) => ({ kind: 'picture', image }) as const;
const none = (reason: string) => ({ kind: 'none', reason, problem: null });
const NO_ANSWER = none('no_answer');
const { signal: never } = new AbortController();

/**
 * Two nodes that deliver events to each other at once; an answer is read from where the node of the device has put it. The second
 * one has the socket, if there is any.
 */
function setUp({ hasSocket = true } = {}) {
  const clock = createManualClock();
  const events: LiveEvent[] = [];
  let kept: LiveResult | null = null;
  const nodes: LiveRequests[] = [];
  const startNode = (): LiveRequests => {
    const node: LiveRequests = createLiveRequests({
      clock,
      nodeClock: clock,
      async publish(event) {
        events.push(event);
        kept = event.type === 'live_answered' ? event.result : kept;
        for (const each of nodes) {
          each.handleEvent(
            event.type === 'live_answered' && each !== node ? { ...event, result: null } : event,
          );
        }
        if (event.type === 'live_requested' && hasSocket) {
          await other.sent(event);
        }
      },
      read: async () => kept,
    });
    nodes.push(node);
    return node;
  };
  const [node, other] = [startNode(), startNode()];
  const count = (type: LiveEvent['type']) => events.filter((event) => event.type === type).length;
  return { clock, node, other, asked: () => count('live_requested'), told: () => count('live_sent') };
}

/** Lets what is resolved run. */
const settled = () => new Promise((done) => setImmediate(done));

test('all who wait share a picture, on every node', async () => {
  const { node: first, other: second, asked } = setUp();
  const answers = [first, first, second].map((node) => node.ask('dev_1', 'picture', never));
  expect(asked()).toBe(1);
  expect(await second.answer('dev_2', 'picture', picture('unasked'))).toBe(false);
  expect(await second.answer('dev_1', 'picture', picture('a'))).toBe(true);
  expect(await Promise.all(answers)).toEqual([picture('a'), picture('a'), picture('a')]);
  expect(await first.answer('dev_1', 'picture', picture('once more'))).toBe(false);
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
  expect(await node.answer('dev_1', 'picture', picture('too late'))).toBe(false);
  void node.ask('dev_1', 'picture', never);
  expect(asked()).toBe(2);
});

test('where no node has the socket all who wait are told so after two and a half seconds', async () => {
  const { clock, node, other } = setUp({ hasSocket: false });
  const answers = [node.ask('dev_1', 'picture', never), other.ask('dev_1', 'picture', never)];
  await settled();
  clock.advance(2_499);
  expect(await node.answer('dev_2', 'picture', picture('unasked'))).toBe(false);
  clock.advance(1);
  expect(await Promise.all(answers)).toEqual([none('no_socket'), none('no_socket')]);
  expect(await node.answer('dev_1', 'picture', picture('too late'))).toBe(false);
});

test('a node with the socket tells those that have asked, and not itself', async () => {
  const { node, other, told } = setUp();
  void other.ask('dev_1', 'picture', never);
  await settled();
  expect(told()).toBe(0);
  void node.ask('dev_2', 'picture', never);
  await settled();
  expect(told()).toBe(1);
});

test('of a request that is over nobody is told later that there was no socket', async () => {
  const { clock, node } = setUp({ hasSocket: false });
  const first = node.ask('dev_1', 'picture', never);
  await settled();
  await node.answer('dev_1', 'picture', picture('a'));
  await first;
  clock.advance(1_500);
  const second = node.ask('dev_1', 'picture', never);
  await settled();
  clock.advance(1_500);
  await node.answer('dev_1', 'picture', picture('b'));
  expect(await second).toEqual(picture('b'));
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

test('of answers that arrive at the same time one is taken', async () => {
  const { node } = setUp();
  const answer = node.ask('dev_1', 'picture', never);
  const taken = ['a', 'b', 'c'].map((image) => node.answer('dev_1', 'picture', picture(image)));
  expect(await Promise.all(taken)).toEqual([true, false, false]);
  expect(await answer).toEqual(picture('a'));
});

test('a request that comes back to its node after the answer is not open again', async () => {
  const clock = createManualClock();
  const events: LiveEvent[] = [];
  const node = createLiveRequests({
    clock,
    nodeClock: clock,
    publish: async (event) => void events.push(event),
    read: async () => null,
  });
  const answer = node.ask('dev_1', 'picture', never);
  node.handleEvent({ type: 'live_answered', deviceId: 'dev_1', wanted: 'picture', result: picture('a') });
  expect(await answer).toEqual(picture('a'));
  node.handleEvent(events[0]!);
  expect(await node.answer('dev_1', 'picture', picture('nobody waits'))).toBe(false);
});

test('an answer that is gone before it is read is none', async () => {
  const clock = createManualClock();
  const node = createLiveRequests({
    clock,
    nodeClock: clock,
    publish: async () => {},
    read: () => Promise.reject(new Error('lost')),
  });
  const answer = node.ask('dev_1', 'picture', never);
  node.handleEvent({ type: 'live_answered', deviceId: 'dev_1', wanted: 'picture', result: null });
  expect(await answer).toEqual(NO_ANSWER);
});

test('a request that cannot be told to the nodes fails at once', async () => {
  const clock = createManualClock();
  const node = createLiveRequests({
    clock,
    nodeClock: clock,
    publish: () => Promise.reject(new Error('disk full')),
    read: async () => null,
  });
  const failing = node.ask('dev_1', 'picture', never);
  const joined = node.ask('dev_1', 'picture', never);
  await expect(failing).rejects.toThrow('disk full');
  expect(await joined).toEqual(NO_ANSWER);
});
