import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createSandboxWithPlayer,
  updateSkipReason,
  deliverGoodVersion,
  POWER_CUT_STRIDE,
} from './update-sandbox.ts';
import type { UpdateSandbox } from './update-sandbox.ts';

let sandbox: UpdateSandbox;

/** Runs `act` with a kill at one step after the other, each in a new sandbox, until no step is left. Returns how many steps there are, at least. */
function atEveryStep(act: (env: Record<string, string>) => { killed: boolean }, after: () => void): number {
  for (let step = 1; ; step += POWER_CUT_STRIDE) {
    sandbox.remove();
    sandbox = createSandboxWithPlayer();
    const { killed } = act({ PLACARD_UPDATE_DIE_AT: String(step) });
    if (!killed) {
      return step - POWER_CUT_STRIDE;
    }
    expect(['0.1.0', '0.2.0'], `after a kill at step ${step}`).toContain(sandbox.installedVersion());
    after();
  }
}

describe.skipIf(updateSkipReason)('the update helper, killed between any two steps', () => {
  beforeEach(() => {
    sandbox = createSandboxWithPlayer();
  });
  afterEach(() => sandbox.remove());

  test('an update is completed at the next boot', () => {
    const steps = atEveryStep(
      (env) => {
        deliverGoodVersion(sandbox);
        return sandbox.run(env);
      },
      () => {
        sandbox.boot();
        expect(sandbox.installedVersion()).toBe('0.2.0');
        expect(sandbox.state()?.phase).toBe('trial');
        sandbox.startPlayer();
        sandbox.markPlayerHealthy('0.2.0');
        sandbox.run();
        expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'confirmed' });
        expect(sandbox.storedPackages()).toBe('0.2.0.deb');
      },
    );
    expect(steps).toBeGreaterThan(10);
  });

  test('a rollback is completed at the next boot', () => {
    const steps = atEveryStep(
      (env) => {
        deliverGoodVersion(sandbox);
        sandbox.run();
        sandbox.startPlayer();
        sandbox.advanceMinutes(10);
        return sandbox.run(env);
      },
      () => {
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
      },
    );
    expect(steps).toBeGreaterThan(6);
  });

  test('a confirmation is completed at the next boot', () => {
    atEveryStep(
      (env) => {
        deliverGoodVersion(sandbox);
        sandbox.run();
        sandbox.markPlayerHealthy('0.2.0');
        return sandbox.run(env);
      },
      () => {
        sandbox.boot();
        expect(sandbox.installedVersion()).toBe('0.2.0');
        expect(sandbox.state()).toMatchObject({ phase: 'idle', outcome: 'confirmed' });
      },
    );
  });

  test.each(['preinst', 'postinst'] as const)(
    'a power cut in the %s of the package is recovered',
    (script) => {
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
