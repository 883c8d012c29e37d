import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  copyDevice,
  createSandboxOnTrial,
  createSandboxWithPlayer,
  updateSkipReason,
  deliverGoodVersion,
  POWER_CUT_STRIDE,
} from './update-sandbox.ts';
import type { UpdateSandbox } from './update-sandbox.ts';

let sandbox: UpdateSandbox;

/** The test goes on with this device, which is removed after it. */
function begin(device: UpdateSandbox): UpdateSandbox {
  onTestFinished(() => device.remove());
  sandbox = device;
  return device;
}

/**
 * Runs the helper on `device` with a kill at one step after the other, each time on a copy, until no step is left.
 * Returns how many steps there are, at least.
 */
function atEveryStep(device: UpdateSandbox, after: () => void): number {
  for (let step = 1; ; step += POWER_CUT_STRIDE) {
    const { killed } = begin(copyDevice(device)).run({ PLACARD_UPDATE_DIE_AT: String(step) });
    if (!killed) {
      return step - POWER_CUT_STRIDE;
    }
    expect(['0.1.0', '0.2.0'], `after a kill at step ${step}`).toContain(sandbox.installedVersion());
    after();
  }
}

describe.skipIf(updateSkipReason)('the update helper, killed between any two steps', () => {
  test('an update is completed at the next boot', () => {
    const device = begin(createSandboxWithPlayer());
    deliverGoodVersion(device);
    const steps = atEveryStep(device, () => {
      sandbox.boot();
      expect(sandbox.installedVersion()).toBe('0.2.0');
      expect(sandbox.state()?.phase).toBe('trial');
      sandbox.startPlayer();
      sandbox.markPlayerHealthy('0.2.0');
      sandbox.run();
      expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'confirmed' });
      expect(sandbox.storedPackages()).toBe('0.2.0.deb');
    });
    expect(steps).toBeGreaterThan(10);
  });

  test('a rollback is completed at the next boot', () => {
    const device = begin(createSandboxOnTrial());
    device.startPlayer();
    device.advanceMinutes(10);
    const steps = atEveryStep(device, () => {
      sandbox.boot();
      if (sandbox.state()?.phase === 'trial') {
        // The cut came before the decision was written: the trial starts again with this boot.
        sandbox.startPlayer();
        sandbox.advanceMinutes(10);
        sandbox.run();
      }
      expect(sandbox.installedVersion()).toBe('0.1.0');
      expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'rolled_back', code: 'unhealthy' });
      expect(sandbox.blocked()).toEqual(['0.2.0']);
      expect(sandbox.storedPackages()).toBe('0.1.0.deb');
    });
    expect(steps).toBeGreaterThan(6);
  });

  test('a confirmation is completed at the next boot', () => {
    const device = begin(createSandboxOnTrial());
    device.markPlayerHealthy('0.2.0');
    const steps = atEveryStep(device, () => {
      sandbox.boot();
      expect(sandbox.installedVersion()).toBe('0.2.0');
      expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'confirmed' });
    });
    expect(steps).toBeGreaterThan(0);
  });

  test.each(['preinst', 'postinst'] as const)(
    'a power cut in the %s of the package is recovered',
    (script) => {
      begin(createSandboxWithPlayer());
      // Only once: the file marks that the power was already cut.
      const cut = join(sandbox.folder, 'cut');
      const helper = '$(cut -d " " -f 4 /proc/$PPID/stat)';
      deliverGoodVersion(sandbox, {
        [script]: `[ -e '${cut}' ] || { : >'${cut}'; kill -9 ${helper} $PPID; }`,
      });
      expect(sandbox.run().killed).toBe(true);
      expect(sandbox.state()?.phase).toBe('installing');
      sandbox.boot();
      expect(sandbox.installedVersion()).toBe('0.2.0');
      expect(sandbox.state()?.phase).toBe('trial');
    },
  );
});
