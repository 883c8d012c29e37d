import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isColour } from '../fixtures.ts';
import type { Machine } from '../machine.ts';
import { NEWER, offerNewer, type InstalledPackage } from '../newer-packages.ts';
import type { Scene } from '../scene.ts';
import { eventually, HOST_SEEN_FROM_MACHINE, screenShows } from '../trial.ts';
import { BOOT_WITHIN_MS, deviceOnline, pairedMachine } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
const UPGRADE_WITHIN_MS = 30 * 60_000;

async function installedBrowser(machine: Machine): Promise<InstalledPackage[]> {
  const lines = await machine.console.run(
    "dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\\n' 'chromium*' | grep '^installed '",
  );
  return lines.split('\n').map((line) => {
    const [, name = '', version = ''] = line.split(' ');
    return { name, version };
  });
}

/** Programs that run from files which are no longer there. */
const onDeletedFiles = (machine: Machine): Promise<string | null> =>
  machine.console.tryRun("ls -l /proc/[0-9]*/exe 2>/dev/null | grep 'chromium.*(deleted)' || true", 20_000);

/** Looks until `until` settles; answers with the longest time without the picture, in milliseconds. */
async function longestGap(machine: Machine, until: Promise<unknown>): Promise<number> {
  const ended = new AbortController();
  const end = until.finally(() => ended.abort());
  end.catch(() => null);
  let [longestMs, sinceMs] = [0, performance.now()];
  while (!ended.signal.aborted) {
    if (PICTURE(await machine.look('upgrading'))) sinceMs = performance.now();
    longestMs = Math.max(longestMs, performance.now() - sinceMs);
    await sleep(1_000);
  }
  await end;
  return longestMs;
}

export const systemUpgrade: Scene = {
  name: 'system-upgrade',
  title: 'apt full-upgrade brings a newer Chromium while the player plays',
  async run(trial) {
    const { machine, device } = await pairedMachine(trial, 'system-upgrade');
    const packages = await installedBrowser(machine);
    const server = offerNewer(packages, {
      system: trial.system,
      folder: join(trial.folder, 'packages'),
      port: trial.cloud.port + 200,
      seenAt: HOST_SEEN_FROM_MACHINE,
    });
    try {
      await machine.console.run(`echo '${server.source}' >/etc/apt/sources.list.d/trial.list`);
      const only =
        '-o Dir::Etc::sourcelist=/etc/apt/sources.list.d/trial.list -o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0';
      const gapMs = await longestGap(
        machine,
        machine.console.run(
          `export DEBIAN_FRONTEND=noninteractive; apt-get ${only} update && apt-get ${only} -y full-upgrade`,
          UPGRADE_WITHIN_MS,
        ),
      );
      trial.note(`longest time without the picture while apt works: ${Math.round(gapMs / 1000)} s`);
    } finally {
      server.close();
    }
    for (const { name, version } of await installedBrowser(machine))
      if (!version.endsWith(NEWER)) throw new Error(`${name} is still ${version}`);
    const doneMs = performance.now();
    await eventually('the player to run the new browser', BOOT_WITHIN_MS, async () => {
      const running = await machine.console.tryRun('pgrep -c chromium', 20_000);
      return running !== null && (await onDeletedFiles(machine)) === '';
    });
    await screenShows(machine, 'new-browser', BOOT_WITHIN_MS, PICTURE);
    trial.note(
      `the new browser shows the picture ${Math.round((performance.now() - doneMs) / 1000)} s after apt ended`,
    );
    await deviceOnline(trial.cloud, device);
    await machine.powerCut();
    await machine.powerOn();
    await screenShows(machine, 'next-boot', BOOT_WITHIN_MS, PICTURE);
    await machine.powerCut();
  },
};
