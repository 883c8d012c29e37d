import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { boxWithPlayer, cannotUpdate, handGoodVersion, type UpdateBox } from './update-box.ts';

let box: UpdateBox;

/** Does `act` with a kill at the n-th step, n = 1, 2, 3 …, each on a fresh box, until no step is left. */
function atEveryStep(act: (env: Record<string, string>) => { killed: boolean }, after: () => void): number {
  for (let step = 1; ; step++) {
    box.remove();
    box = boxWithPlayer();
    const { killed } = act({ PLACARD_UPDATE_DIE_AT: String(step) });
    if (!killed) return step - 1;
    expect(['0.1.0', '0.2.0'], `after a kill at step ${step}`).toContain(box.player());
    after();
  }
}

describe.skipIf(cannotUpdate)('the update helper, killed between any two steps', () => {
  beforeEach(() => {
    box = boxWithPlayer();
  });
  afterEach(() => box.remove());

  test('an update is taken all the same at the next boot', () => {
    const steps = atEveryStep(
      (env) => {
        handGoodVersion(box);
        return box.run(env);
      },
      () => {
        box.boot();
        expect(box.player()).toBe('0.2.0');
        expect(box.state()?.phase).toBe('trial');
        box.playerStarts();
        box.playerIsHealthy('0.2.0');
        box.run();
        expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'confirmed' });
        expect(box.keptPackages()).toBe('0.2.0.deb');
      },
    );
    expect(steps).toBeGreaterThan(10);
  });

  test('a return is finished at the next boot', () => {
    const steps = atEveryStep(
      (env) => {
        handGoodVersion(box);
        box.run();
        box.playerStarts();
        box.minutesPass(10);
        return box.run(env);
      },
      () => {
        box.boot();
        if (box.state()?.phase === 'trial') {
          // The cut came before the verdict was written: the minutes count again from this boot.
          box.playerStarts();
          box.minutesPass(10);
          box.run();
        }
        expect(box.player()).toBe('0.1.0');
        expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'rolled_back', code: 'unhealthy' });
        expect(box.blocked()).toEqual(['0.2.0']);
        expect(box.keptPackages()).toBe('0.1.0.deb');
      },
    );
    expect(steps).toBeGreaterThan(6);
  });

  test('a confirmation is finished at the next boot', () => {
    atEveryStep(
      (env) => {
        handGoodVersion(box);
        box.run();
        box.playerIsHealthy('0.2.0');
        return box.run(env);
      },
      () => {
        box.boot();
        expect(box.player()).toBe('0.2.0');
        expect(box.state()).toMatchObject({ phase: 'idle', outcome: 'confirmed' });
      },
    );
  });

  test.each(['preinst', 'postinst'] as const)('in the %s of the package, dpkg and helper alike', (script) => {
    // Only once: the file tells that the power was cut already.
    const cut = join(box.folder, 'cut');
    const helper = '$(cut -d " " -f 4 /proc/$PPID/stat)';
    handGoodVersion(box, { [script]: `[ -e '${cut}' ] || { : >'${cut}'; kill -9 ${helper} $PPID; }` });
    expect(box.run().killed).toBe(true);
    expect(box.state()?.phase).toBe('installing');
    box.boot();
    expect(box.player()).toBe('0.2.0');
    expect(box.state()?.phase).toBe('trial');
  });
});
