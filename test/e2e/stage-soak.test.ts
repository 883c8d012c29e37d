import { afterEach, beforeEach, expect, it } from 'vitest';
import { countBlobUrls, readHeld } from '../bench/soak/memory.ts';
import { runTransitions } from '../bench/soak/transitions.ts';
import { imageShowing, plainPicture, startStageRig, videoShowing, type StageRig } from './stage-rig.ts';

const WARM = 60;
const TRANSITIONS = 300;
const LONGEST_MS = 300_000;

let rig: StageRig;
beforeEach(async () => {
  rig = await startStageRig();
  rig.send({ type: 'screen', screen: { kind: 'stage' } });
});
afterEach(() => rig.close());

it(
  'hundreds of transitions leave no node, listener or blob address behind',
  async () => {
    const still = await rig.addMedia('still.png', await plainPicture('png', '#c03030'));
    const photo = await rig.addSample('sample-wayfinding-exif6-1600x1200.jpg');
    const waves = await rig.addSample('sample-waves-1280x720.mp4');
    const lights = await rig.addSample('sample-lights-1280x720.webm');
    rig.send({ type: 'configure', orientation: 'landscape', ground: 'blurred' });
    await countBlobUrls(rig.page);
    const showingAt = (index: number) => {
      const kinds = [
        imageShowing(`still-${index}`, still, null),
        videoShowing(`waves-${index}`, waves),
        imageShowing(`photo-${index}`, photo, null),
        videoShowing(`lights-${index}`, lights),
      ];
      return kinds[index % kinds.length]!;
    };
    await runTransitions(rig, 0, WARM, showingAt);
    const before = await readHeld(rig.page, rig.profileDir);
    await runTransitions(rig, WARM, WARM + TRANSITIONS, showingAt);
    const after = await readHeld(rig.page, rig.profileDir);

    expect(after.blobUrls).toBe(0);
    // One left behind by every cut would be three hundred.
    expect(after.nodes - before.nodes).toBeLessThan(TRANSITIONS / 10);
    expect(after.listeners - before.listeners).toBeLessThan(TRANSITIONS / 10);
  },
  LONGEST_MS,
);
