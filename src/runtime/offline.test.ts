import { Fault, type HeartbeatRequest } from '@placard/protocol';
import { describe, expect, test, vi } from 'vitest';
import { house, NOON } from '../../test/support/simulated-house.ts';

// Simulated hours take seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const samplesOf = (beats: HeartbeatRequest[]) => beats.flatMap((beat) => beat.samples);

describe('without the cloud', () => {
  test('what is held plays from the first second, and nothing waits for an answer', async () => {
    const { clock, cloud, box, settle, shown } = house();
    await settle();
    box.powerCut();
    cloud.away = true;
    const before = cloud.seen.calls;
    const count = shown().length;
    box.start();
    await clock.advance(49);
    expect(cloud.seen.calls).toBe(before);
    await clock.advance(2);
    expect(shown().length).toBe(count + 1);
    expect(cloud.seen.calls).toBeGreaterThan(before);
    await clock.advance(3_600_000);
    expect(shown().length).toBeGreaterThan(355);
    expect(box.status()).toMatchObject({ state: 'paired', connection: 'offline' });
  });

  test('plays and samples made meanwhile are delivered once each when it is back', async () => {
    const { clock, store, cloud, box, settle } = house();
    await settle();
    await clock.advance(60_000);
    cloud.away = true;
    await clock.advance(3_600_000);
    expect(box.status()).toMatchObject({ connection: 'offline', faults: [{ code: 'cloud.unreachable' }] });
    cloud.away = false;
    await clock.advance(120_000);
    expect(box.status()).toMatchObject({ connection: 'online', faults: [] });
    const ended = box.stage.shown.filter((one) => one.atMs + 10_000 <= clock.wall() - 10_000);
    expect(ended.map((one) => one.id).filter((id) => !cloud.seen.plays.has(id))).toEqual([]);
    expect(cloud.seen.playsTwice).toBe(0);
    expect(store.pendingPlays(500).length).toBeLessThan(3);
    const measured = samplesOf(cloud.seen.heartbeats).map((sample) => sample.measured_at);
    expect(new Set(measured).size).toBe(measured.length);
    expect(measured.length).toBeGreaterThan(60);
    expect(store.readSamples(10)).toEqual([]);
  });

  test.each([
    ['tells what it has when the cloud is there', false],
    ['gives up what nobody has taken for 30 days, and counts it', true],
  ])('a box that was off for three months %s', async (_, away) => {
    const { clock, cloud, box, settle } = house();
    await settle();
    cloud.away = true;
    await clock.advance(60_000);
    box.powerCut();
    const before = box.stage.shown.map((one) => one.id);
    clock.setWall(NOON + 90 * 24 * 3_600_000);
    cloud.away = away;
    box.start();
    await clock.advance(60_000);
    const dropped = Number(box.status().plays_dropped);
    const told = before.filter((id) => cloud.seen.plays.has(id)).length;
    expect([dropped, told]).toEqual(away ? [before.length, 0] : [0, before.length]);
  });

  test('no reading is taken while the clock is in the past', async () => {
    const { clock, store, cloud, settle } = house();
    await settle();
    clock.setWall(Date.UTC(2013, 0, 1));
    cloud.away = true;
    await clock.advance(600_000);
    expect(store.readSamples(100)).toEqual([]);
  });

  test.each([
    ['a broken server', new Fault('cloud.unreachable', 'later', { status: 500 })],
    ['a log-in page', new Fault('cloud.not_placard', 'later', { status: 200 })],
    ['a refusal', new Fault('cloud.refused', 'later', { status: 403 })],
    ['a certificate that has run out', new Fault('cloud.tls', 'later', { reason: 'CERT_HAS_EXPIRED' })],
    ['a call to slow down', new Fault('cloud.busy', { afterMs: 600_000 }, { status: 429 })],
  ])('%s for hours stops nothing, unpairs nobody, and is over when it is over', async (_, fault) => {
    const { clock, store, cloud, box, settle } = house();
    await settle();
    cloud.failure = fault;
    const [shown, calls] = [box.stage.shown.length, cloud.seen.calls];
    await clock.advance(2 * 3_600_000);
    expect(box.stage.shown.length - shown).toBe(720);
    expect(store.readIdentity()).not.toBe(null);
    expect(box.status()).toMatchObject({ connection: 'offline', faults: [{ code: fault.code }] });
    // Heartbeats, plays and the socket, each about once a minute, and less when asked to.
    expect(cloud.seen.calls - calls).toBeLessThan(fault.code === 'cloud.busy' ? 100 : 900);
    cloud.failure = null;
    await clock.advance(12 * 60_000);
    expect(box.status()).toMatchObject({ connection: 'online', faults: [] });
    expect(cloud.seen.playsTwice).toBe(0);
    expect(store.pendingPlays(500).length).toBeLessThan(3);
  });

  test('blocked sockets leave the heartbeats, and a change still arrives', async () => {
    const { clock, cloud, box, publish, settle } = house();
    cloud.socketsBlocked = true;
    await settle();
    const manifest = publish({ playlists: { pl: ['x'] } });
    await clock.advance(70_000);
    expect(box.status()).toMatchObject({ connection: 'online', held_revision: manifest.revision });
  });
});
