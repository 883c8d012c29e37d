import { expect, test } from 'vitest';
import { hashOf } from '../../../test/support/manifests.ts';
import { house } from '../../../test/support/simulated-house.ts';

test('a file that was damaged while the box was off is thrown away and fetched again, though it opens', async () => {
  const { clock, media, box, settle } = house();
  await settle();
  await clock.advance(1_000);
  box.powerCut();
  media.damage(hashOf('c'));
  box.start();
  const sizeOf = async () => (await media.find(hashOf('c')))?.size;
  expect(await sizeOf()).toBe('damaged'.length);
  await clock.advance(30_000);
  expect(await sizeOf()).toBe('c'.length);
  expect(box.log.events).toContainEqual(
    expect.objectContaining({ event: 'media.checked', facts: { files: 3, lost: 1, unread: 0 } }),
  );
});

test('every file is looked at once, gently, what is on first, and none before the first picture', async () => {
  const { clock, media, box, settle } = house();
  await settle({ playlists: { spare: ['z'], pl: ['a', 'b'] }, base: 'pl' });
  await clock.advance(10_000);
  box.powerCut();
  const seen: { name: string | undefined; gently: boolean; picture: boolean }[] = [];
  const verify = media.verify.bind(media);
  media.verify = (sha256, gently) => {
    const name = ['a', 'b', 'z'].find((one) => hashOf(one) === sha256);
    seen.push({ name, gently: gently !== undefined, picture: box.stage.current !== null });
    return verify(sha256, gently);
  };
  box.start();
  await clock.advance(3_600_000);
  expect(seen).toEqual(['a', 'b', 'z'].map((name) => ({ name, gently: true, picture: true })));
});

test('a player that stops in the midst of a large file does not wait for its end', async () => {
  const { clock, media, box, settle } = house();
  await settle();
  await clock.advance(1_000);
  box.powerCut();
  let began = false;
  media.verify = (_, gently) => {
    began = true;
    return new Promise((resolve) => gently?.addEventListener('abort', () => resolve(true), { once: true }));
  };
  box.start();
  await clock.advanceUntil(() => began, 60_000);
  await box.stop();
  expect(box.log.events).not.toContainEqual(expect.objectContaining({ event: 'service.stuck' }));
});

test('a file that could not be read is neither lost nor done with: it is looked at again', async () => {
  const { clock, media, box, settle } = house();
  await settle();
  await clock.advance(1_000);
  box.powerCut();
  const seen: string[] = [];
  const verify = media.verify.bind(media);
  let handlesLeft = false;
  media.verify = async (sha256, gently) => {
    seen.push(sha256);
    return handlesLeft || sha256 !== hashOf('b') ? verify(sha256, gently) : null;
  };
  box.start();
  await clock.advance(60_000);
  expect(seen).toHaveLength(3);
  handlesLeft = true;
  await clock.advance(3 * 3_600_000);
  expect(seen.slice(3)).toEqual([hashOf('b')]);
  expect(box.log.events.filter(({ event }) => event === 'media.checked')).toMatchObject([
    { facts: { files: 3, lost: 0, unread: 1 } },
    { facts: { files: 1, lost: 0, unread: 0 } },
  ]);
});
