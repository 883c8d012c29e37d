import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDevtoolsPage } from '../bench/soak/devtools-page.ts';
import type { DevtoolsPage } from '../bench/soak/devtools-page.ts';
import { countBlobUrls, readPageMemory } from '../bench/soak/page-memory.ts';
import { runTransitions } from '../bench/soak/transitions.ts';
import { imageShowing, videoShowing } from './stage-host.ts';
import { blinkingPicture, plainPicture } from './stage-rig.ts';

const WARM = 40;
/** `npm run bench:soak` does thousands. */
const TRANSITIONS = 100;
const LONGEST_MS = 300_000;

let page: DevtoolsPage;
beforeEach(async () => {
  page = await openDevtoolsPage({ width: 320, height: 180 });
  page.host.send({ type: 'screen', screen: { kind: 'stage' } });
});
afterEach(() => page.close());

test(
  'many transitions leak no node, listener or blob URL',
  async () => {
    const { host } = page;
    const still = await host.addMedia('still.png', await plainPicture('png', '#c03030'));
    const photo = await host.addSample('sample-wayfinding-exif6-1600x1200.jpg');
    const waves = await host.addSample('sample-waves-1280x720.mp4');
    const lights = await host.addSample('sample-lights-1280x720.webm');
    // The only kind that creates blob URLs.
    const blink = await host.addMedia('blink.gif', await blinkingPicture('gif'));
    host.send({ type: 'configure', orientation: 'landscape', background: 'blurred' });
    await countBlobUrls(page);
    const showingAt = (index: number) => {
      const kinds = [
        imageShowing(`still-${index}`, still, null),
        videoShowing(`waves-${index}`, waves),
        imageShowing(`photo-${index}`, photo, null),
        videoShowing(`lights-${index}`, lights),
        imageShowing(`blink-${index}`, blink, null),
      ];
      return kinds[index % kinds.length]!;
    };
    await runTransitions(host, 0, WARM, showingAt);
    const before = await readPageMemory(page);
    await runTransitions(host, WARM, WARM + TRANSITIONS, showingAt);
    const after = await readPageMemory(page);

    expect(after.blobUrls).toBe(0);
    // A leak in every transition of one kind would be twenty.
    expect(after.nodes - before.nodes).toBeLessThan(TRANSITIONS / 10);
    expect(after.listeners - before.listeners).toBeLessThan(TRANSITIONS / 10);
  },
  LONGEST_MS,
);
