import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHROMIUM_PACKAGE } from '../../../scripts/dist/chromium-deb.ts';
import { isColour } from '../fixtures.ts';
import type { VirtualMachine } from '../virtual-machine.ts';
import { NEWER_SUFFIX, serveNewerPackages } from '../newer-packages.ts';
import type { InstalledPackage } from '../newer-packages.ts';
import type { Scenario } from '../scenario.ts';
import { eventually, HOST_ADDRESS, waitForScreen } from '../scenario-context.ts';
import { BOOT_WITHIN_MS, waitForOnline, startPairedMachine } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
const UPGRADE_WITHIN_MS = 30 * 60_000;

async function installedBrowser(machine: VirtualMachine): Promise<InstalledPackage[]> {
  const lines = await machine.console.run(
    "dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\\n' 'chromium*' | grep '^installed '",
  );
  return lines.split('\n').map((line) => {
    const [, name = '', version = ''] = line.split(' ');
    return { name, version };
  });
}

/** Processes whose executable has been deleted. */
const findDeletedExecutables = (machine: VirtualMachine): Promise<string | null> =>
  machine.console.tryRun("ls -l /proc/[0-9]*/exe 2>/dev/null | grep 'chromium.*(deleted)' || true", 20_000);

/** Takes screenshots until `until` settles; returns the longest time without the picture, in milliseconds. */
async function measureLongestGap(machine: VirtualMachine, until: Promise<unknown>): Promise<number> {
  const ended = new AbortController();
  const end = until.finally(() => ended.abort());
  end.catch(() => null);
  let [longestMs, sinceMs] = [0, performance.now()];
  while (!ended.signal.aborted) {
    if (PICTURE(await machine.takeScreenshot('upgrading'))) {
      sinceMs = performance.now();
    }
    longestMs = Math.max(longestMs, performance.now() - sinceMs);
    await sleep(1_000);
  }
  await end;
  return longestMs;
}

export const systemUpgrade: Scenario = {
  name: 'system-upgrade',
  title: 'apt full-upgrade installs a newer Chromium during playback',
  onlyWith: { package: CHROMIUM_PACKAGE, reason: 'the other package contains its browser' },
  async run(context) {
    const { machine, device } = await startPairedMachine(context, 'system-upgrade');
    const packages = await installedBrowser(machine);
    const server = serveNewerPackages(packages, {
      system: context.system,
      folder: join(context.folder, 'packages'),
      port: context.cloud.port + 200,
      hostAddress: HOST_ADDRESS,
    });
    try {
      await machine.console.run(`echo '${server.source}' >/etc/apt/sources.list.d/trial.list`);
      const only =
        '-o Dir::Etc::sourcelist=/etc/apt/sources.list.d/trial.list -o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0';
      const gapMs = await measureLongestGap(
        machine,
        machine.console.run(
          `export DEBIAN_FRONTEND=noninteractive; apt-get ${only} update && apt-get ${only} -y full-upgrade`,
          UPGRADE_WITHIN_MS,
        ),
      );
      context.report(`longest time without the picture during the upgrade: ${Math.round(gapMs / 1000)} s`);
    } finally {
      server.close();
    }
    for (const { name, version } of await installedBrowser(machine)) {
      if (!version.endsWith(NEWER_SUFFIX)) {
        throw new Error(`${name} is still ${version}`);
      }
    }
    const doneMs = performance.now();
    await eventually('the player to run the new browser', BOOT_WITHIN_MS, async () => {
      const running = await machine.console.tryRun('pgrep -c chromium', 20_000);
      return running !== null && (await findDeletedExecutables(machine)) === '';
    });
    await waitForScreen(machine, 'new-browser', BOOT_WITHIN_MS, PICTURE);
    context.report(
      `the new browser shows the picture ${Math.round((performance.now() - doneMs) / 1000)} s after apt ended`,
    );
    await waitForOnline(context.cloud, device);
    await machine.powerCut();
    await machine.powerOn();
    await waitForScreen(machine, 'next-boot', BOOT_WITHIN_MS, PICTURE);
    await machine.powerCut();
  },
};
