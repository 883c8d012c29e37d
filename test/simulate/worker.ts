/** A process that simulates a part of the devices. `simulate.ts` starts it. */
import { systemClock } from './clock.ts';
import { createSimulatedDevice } from './device/device.ts';
import { createServers } from './device/servers.ts';
import { readFleet } from './fleet/fleet-file.ts';
import { createLedgerFile } from './ledger/ledger-file.ts';
import type { SimulationOptions } from './options.ts';
import { UNDISTURBED, createPattern } from './pattern.ts';
import type { WorkerReport, WorkerTask } from './process-messages.ts';
import { createFigures } from './report/figures.ts';

const REPORT_INTERVAL_MS = 1_000;
const SILENCE_CHECK_MS = 5_000;
/** A request that is on its way when the simulation ends may be answered within this time. */
const STOP_TIMEOUT_MS = 5_000;

function patternOf(options: SimulationOptions, number: number) {
  if (!options.hasDisturbances) {
    return UNDISTURBED;
  }
  return createPattern(
    { seed: options.seed, meanMs: options.disturbMinutes * 60_000, offMs: options.offSeconds * 1_000 },
    number,
  );
}

const exit = () => process.exit(1);

async function simulate({ options, index }: WorkerTask): Promise<void> {
  const identities = [...readFleet(options.ledger).devices.values()]
    .filter(({ number }) => number < options.devices && number % options.processes === index)
    .toSorted((a, b) => a.number - b.number);
  const figures = createFigures();
  const ledger = createLedgerFile(options.ledger, `devices-${Date.now()}-${index}`);
  const addresses = options.sourceAddresses;
  const servers = createServers(
    options.servers,
    systemClock,
    addresses[index % Math.max(1, addresses.length)],
  );
  const emptyRssBytes = process.memoryUsage.rss();

  const countConnected = () => devices.filter((device) => device.isConnected).length;
  const report = (unpaired: number | null = null, connected = countConnected()) => {
    const { user, system } = process.cpuUsage();
    const message: WorkerReport = {
      unpaired,
      figures: figures.take(),
      devices: devices.length,
      connected,
      rssBytes: process.memoryUsage.rss(),
      emptyRssBytes,
      cpuMs: (user + system) / 1_000,
    };
    process.send?.(message);
  };

  const devices = identities.map((identity) =>
    createSimulatedDevice({
      identity,
      servers,
      localAddress: addresses[identity.number % Math.max(1, addresses.length)],
      clock: systemClock,
      settings: {
        heartbeatMs: options.heartbeatSeconds === null ? null : options.heartbeatSeconds * 1_000,
        playMs: options.playSeconds * 1_000,
        media: options.media,
      },
      hasSocket: identity.number < options.sockets,
      pattern: patternOf(options, identity.number),
      seed: options.seed,
      startAfterMs: (identity.number / options.devices) * options.rampSeconds * 1_000,
      ledger,
      figures,
      onUnpaired: (number) => report(number),
    }),
  );
  const running = Promise.all(devices.map((device) => device.run()));
  const reporting = setInterval(() => report(), REPORT_INTERVAL_MS);
  const checking = setInterval(() => devices.forEach((device) => device.endSilentSocket()), SILENCE_CHECK_MS);
  // The parent says when to stop; without it nobody would.
  const stop = new Promise<void>((resolve) => {
    process.once('message', () => resolve());
    process.once('disconnect', exit);
  });
  await Promise.race([stop, running.then(() => stop)]);
  const connected = countConnected();
  devices.forEach((device) => device.stop());
  setTimeout(() => process.exit(0), STOP_TIMEOUT_MS).unref();
  await running;
  clearInterval(reporting);
  clearInterval(checking);
  report(null, connected);
  ledger.close();
  await Promise.all(servers.map(({ agent }) => agent.destroy()));
  process.off('disconnect', exit);
  process.disconnect();
}

// Ctrl-C reaches all processes of a terminal; the parent stops this one.
process.on('SIGINT', () => {});
process.once('message', (task: WorkerTask) => void simulate(task));
