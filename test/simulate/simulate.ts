import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createSeededRandom } from '../support/seeded-random.ts';
import type { CloudApi } from './cloud-api/api.ts';
import type { FleetFile } from './fleet/fleet-file.ts';
import { systemClock } from './clock.ts';
import { createLedgerFile } from './ledger/ledger-file.ts';
import { sendCommands } from './operator.ts';
import type { SimulationOptions } from './options.ts';
import type { WorkerReport, WorkerTask } from './process-messages.ts';
import { addFigures, noFigures, presentFigures } from './report/figures.ts';
import type { FiguresData } from './report/figures.ts';

const SUMMARY_INTERVAL_MS = 10_000;

interface Worker {
  child: ChildProcess;
  ended: Promise<unknown>;
  latest: WorkerReport | null;
}

/** Also until its last message has arrived. */
const untilEnded = (child: ChildProcess) => Promise.all([once(child, 'exit'), once(child, 'disconnect')]);

export type Summary = ReturnType<typeof presentFigures> & Record<string, unknown>;

/** Runs a paired fleet until its time is over or the signal aborts. Returns all figures. */
export async function simulate(
  deps: {
    options: SimulationOptions;
    api: CloudApi;
    fleet: FleetFile;
    print: (summary: Summary) => void;
  },
  signal: AbortSignal,
): Promise<FiguresData> {
  const { options, fleet, print } = deps;
  const total = noFigures();
  let interval = noFigures();
  const startedMs = performance.now();
  let intervalStartedMs = startedMs;
  const workers = Array.from({ length: options.processes }, (_, index) => startWorker({ options, index }));

  function startWorker(task: WorkerTask): Worker {
    const { PLACARD_ADMIN_KEY: _, ...env } = process.env;
    const child = fork(join(import.meta.dirname, 'worker.ts'), { env });
    const worker: Worker = { child, latest: null, ended: untilEnded(child) };
    child.on('message', (report: WorkerReport) => {
      worker.latest = report;
      addFigures(total, report.figures);
      addFigures(interval, report.figures);
      if (report.unpaired !== null) {
        fleet.remove(report.unpaired);
      }
    });
    child.send(task);
    return worker;
  }

  const sum = (read: (report: WorkerReport) => number) =>
    workers.reduce((result, { latest }) => result + (latest ? read(latest) : 0), 0);

  function printSummary(kind: 'interval' | 'end'): void {
    const nowMs = performance.now();
    const seconds = (nowMs - (kind === 'end' ? startedMs : intervalStartedMs)) / 1_000;
    const devices = sum((report) => report.devices);
    print({
      summary: kind,
      time: new Date().toISOString(),
      seconds: Math.round(seconds),
      devices,
      connected: sum((report) => report.connected),
      ...presentFigures(kind === 'end' ? total : interval, seconds),
      kb_per_device: Math.round(sum((report) => report.rssBytes - report.emptyRssBytes) / 1_000 / devices),
      cpu_seconds: Math.round(sum((report) => report.cpuMs) / 1_000),
    });
    intervalStartedMs = nowMs;
    interval = noFigures();
  }

  const ledger = createLedgerFile(options.ledger, `commands-${Date.now()}`);
  const ending = new AbortController();
  const end = AbortSignal.any([ending.signal, signal]);
  const summaries = setInterval(() => printSummary('interval'), SUMMARY_INTERVAL_MS);
  const operator = sendCommands(
    {
      api: deps.api,
      ledger,
      random: createSeededRandom(options.seed),
      perMinute: options.commandsPerMinute,
      devices: () => [...fleet.devices.values()].filter(({ number }) => number < options.devices),
      onError: (kind) => addFigures(total, { ...noFigures(), errors: { [kind]: 1 } }),
    },
    end,
  );
  const crashed = workers.map(async ({ ended }) => {
    await ended;
    if (!end.aborted) {
      throw new Error('A process of the simulator ended; what it wrote before says why.');
    }
  });
  try {
    await Promise.race([
      systemClock.sleep(options.seconds === null ? Number.POSITIVE_INFINITY : options.seconds * 1_000, end),
      ...crashed,
    ]);
  } finally {
    ending.abort();
    clearInterval(summaries);
    for (const { child } of workers) {
      if (child.connected) {
        child.send('stop');
      }
    }
    await Promise.all([operator, ...workers.map(({ ended }) => ended)]);
    ledger.close();
  }
  printSummary('end');
  return total;
}
