import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startStageBrowser } from './stage-rig.ts';
import type { StageBrowser, StageRig } from './stage-rig.ts';

/** Opens a rig for each test of the file, which shows the stage. All are in one browser. */
export function openRigForEach(use: (rig: StageRig) => void, size?: { width: number; height: number }): void {
  let browser: StageBrowser;
  let rig: StageRig;
  beforeAll(async () => {
    browser = await startStageBrowser(size);
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    rig = await browser.openRig();
    rig.send({ type: 'screen', screen: { kind: 'stage' } });
    use(rig);
  });
  afterEach(() => rig.close());
}
