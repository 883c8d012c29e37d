import { expect, test } from 'vitest';
import { buildManifest } from '../../test/support/manifests.ts';
import { createSimulatedPlayer } from '../../test/support/simulated-player.ts';

const PICTURE = '/9j/2Q==';

test('a player sends a picture for each request, and one for those that arrive while it takes one', async () => {
  const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer({ picture: PICTURE });
  await pairAndPlay();
  await clock.advance(5_000);
  const { liveAnswers: answers } = cloud.received;
  for (let second = 0; second < 60; second++) {
    cloud.requestLive();
    await clock.advance(1_000);
  }
  expect(answers).toHaveLength(60);
  expect(new Set(answers.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ kind: 'picture', image: PICTURE })]),
  );
  const wanted = player.shellMessages.filter(({ type }) => type === 'screenshot_wanted');
  expect(wanted.at(-1)).toMatchObject({ maxPixels: 960 });

  // A cloud that asks without pause gets about one a second.
  for (let n = 0; n < 100; n++) {
    cloud.requestLive();
    await clock.advance(100);
  }
  expect(answers.length - 60).toBeGreaterThanOrEqual(10);
  expect(answers.length - 60).toBeLessThanOrEqual(12);
});

test('nothing of a live view is stored, and commands are executed meanwhile', async () => {
  const { clock, cloud, database, pairAndPlay } = createSimulatedPlayer({ picture: PICTURE });
  await pairAndPlay();
  await clock.advance(5_000);
  const expires_at = new Date(clock.wallMs() + 3_600_000).toISOString();
  for (let second = 0; second < 20; second++) {
    cloud.requestLive();
    if (second === 10) {
      cloud.sendCommand({ id: 'cmd_1', command: 'REFRESH', expires_at });
    }
    await clock.advance(1_000);
  }
  expect(database.readCommands().map(({ id, stage }) => [id, stage])).toEqual([['cmd_1', 'succeeded']]);
  expect(cloud.received.liveAnswers).toHaveLength(20);
});

test('where screenshots are forbidden, or the window gives none, the player says why', async () => {
  const { clock, cloud, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  await clock.advance(5_000);
  cloud.requestLive();
  await clock.advance(8_000);
  expect(cloud.received.liveAnswers).toHaveLength(1);
  const manifest = buildManifest({ revision: 'forbidden', playlists: { pl: ['a', 'b', 'c'] } });
  cloud.setManifest({ ...manifest, device: { ...manifest.device, screenshots_allowed: false } });
  await clock.advance(5_000);
  cloud.requestLive();
  await clock.advance(5_000);
  expect(cloud.received.liveAnswers).toEqual([
    { kind: 'problem', wanted: 'picture', problem: expect.stringContaining('no window') },
    { kind: 'problem', wanted: 'picture', problem: expect.stringContaining('forbidden by the settings') },
  ]);
});

test('what cannot be sent is dropped', async () => {
  const { clock, cloud, pairAndPlay } = createSimulatedPlayer({ picture: PICTURE });
  await pairAndPlay();
  await clock.advance(5_000);
  cloud.requestLive();
  cloud.unreachable = true;
  await clock.advance(60_000);
  cloud.unreachable = false;
  await clock.advance(120_000);
  expect(cloud.received.liveAnswers).toEqual([]);
  cloud.requestLive();
  await clock.advance(2_000);
  expect(cloud.received.liveAnswers).toHaveLength(1);
});

test('whoever follows the log gets its newest lines, also while no picture can be taken', async () => {
  const { clock, cloud, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  await clock.advance(5_000);
  cloud.requestLive('picture');
  for (let n = 0; n < 3; n++) {
    cloud.requestLive('log_lines');
    await clock.advance(2_000);
  }
  const answer = { kind: 'log_lines', log: { run: '1', first: 7, lines: ['the newest line'] } };
  expect(cloud.received.liveAnswers).toEqual([answer, answer, answer]);
});
