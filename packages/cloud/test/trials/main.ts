import { parseArgs } from 'node:util';
import { limitsInRealTime } from './limits-real-time.ts';
import { rolloutsTrial } from '../support/rollouts-trial.ts';
import { createSeededRandom, createSeed } from '../../../../test/support/seeded-random.ts';
import { alertsTrial } from './alerts/alerts-trial.ts';
import { webhooksTrial } from './webhooks-trial.ts';
import { eventsTrial } from './events/events-trial.ts';
import { fuzzTrial } from './fuzz/fuzz-trial.ts';
import { mediaTrial } from './fuzz/media-trial.ts';
import { hostileTrial } from './hostile/hostile-trial.ts';
import { LONG_PROFILE } from './hostile/load-profile.ts';
import { formatReport } from './hostile/report-table.ts';
import { killTrial } from './kill/kill-trial.ts';
import { moveTrial } from './move-trial.ts';
import { modelTrial } from './model/model-trial.ts';
import { formatNodesReport, missedFigures } from './nodes/nodes-report.ts';
import { nodesTrial } from './nodes/nodes-trial.ts';
import { uploadTrial } from './upload-trial.ts';
import { tusTrial } from './uploads/tus-trial.ts';

/** The long trials: `npm run trial:fuzz -- --requests 20000 --files 20000 --seed 7` (0 skips a part). Prints results; only `hostile`, `nodes` and the files of `fuzz` (250 ms for other requests) check times. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    path: { type: 'string' },
    runs: { type: 'string' },
    moves: { type: 'string' },
    requests: { type: 'string' },
    files: { type: 'string' },
    rounds: { type: 'string' },
    bytes: { type: 'string' },
    collect: { type: 'boolean' },
    minutes: { type: 'string' },
    screens: { type: 'string' },
    devices: { type: 'string' },
    plays: { type: 'string' },
    kills: { type: 'string' },
    incidents: { type: 'string' },
    healthy: { type: 'string' },
    stores: { type: 'string' },
    nodes: { type: 'string' },
    cuts: { type: 'string' },
    changes: { type: 'string' },
    'postgres-restarts': { type: 'string' },
    'outage-seconds': { type: 'string' },
    'pause-seconds': { type: 'string' },
  },
});
const number = (text: string | undefined, defaultValue: number) =>
  text === undefined ? defaultValue : Number(text);
const print = (value: unknown) =>
  console.log(typeof value === 'string' ? value : JSON.stringify(value, null, 1));

const trials: Record<string, () => Promise<unknown>> = {
  /** Fails when a regression of a stated size passes the first ring, or more than one of 1,000 healthy rollouts is stopped. */
  async rollouts() {
    const report = await rolloutsTrial({
      regressions: number(values.runs, 100),
      healthy: number(values.healthy, 1000),
      seed: number(values.seed, createSeed()),
      maxFleet: number(values.devices, 20_000),
      onProgress: (done) => console.error(`${done} rollouts`),
    });
    const { regressions, healthy } = report;
    if (regressions.missed.length > 0 || healthy.stopped.length > Math.ceil(healthy.rollouts / 1000)) {
      process.exitCode = 1;
    }
    return report;
  },
  model: () =>
    modelTrial({
      runs: number(values.runs, 300),
      moves: number(values.moves, 60),
      ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
      ...(values.path === undefined ? {} : { path: values.path }),
    }),
  async fuzz() {
    const seed = number(values.seed, createSeed());
    const [requests, files] = [number(values.requests, 20_000), number(values.files, 20_000)];
    return {
      ...(requests > 0 && {
        requests: await fuzzTrial({
          requests,
          seed,
          collect: values.collect ?? false,
          onProgress: (sent, rssMiB) => console.error(`${sent} requests sent, server memory ${rssMiB} MiB`),
        }),
      }),
      ...(files > 0 && {
        media: await mediaTrial({
          files,
          seed,
          maxResponseMs: 250,
          maliciousEvery: 500,
          onProgress: (sent, details) => console.error(`${sent} files sent: ${details}`),
        }),
      }),
    };
  },
  webhooks: () =>
    webhooksTrial({
      rounds: number(values.rounds, 40),
      random: createSeededRandom(number(values.seed, createSeed())),
    }),
  alerts: () =>
    alertsTrial({
      incidents: number(values.incidents, 1000),
      kills: number(values.kills, 50),
      stores: number(values.stores, 60),
      nodes: number(values.nodes, 1),
      random: createSeededRandom(number(values.seed, createSeed())),
      onStep: (step) => console.error(step),
    }),
  events: () =>
    eventsTrial({
      changes: number(values.changes, 10_000),
      kills: number(values.kills, 20),
      random: createSeededRandom(number(values.seed, createSeed())),
      onStep: (step) => console.error(step),
    }),
  limits: () => limitsInRealTime(number(values.seed, createSeed())),
  kill: () =>
    killTrial({
      rounds: number(values.rounds, 200),
      seed: number(values.seed, createSeed()),
      onRound: (round, details) => {
        if (round % 10 === 0) {
          console.error(`killed ${round} times: ${details}`);
        }
      },
    }),
  /** Checks response times of steady clients. Fails when the disk could not be filled, because that part was not tested. */
  async hostile() {
    const report = await hostileTrial({
      seconds: number(values.minutes, 60) * 60,
      screens: number(values.screens, 100),
      seed: number(values.seed, createSeed()),
      pressure: LONG_PROFILE,
      checksTimes: true,
      onProgress: (details) => console.error(details),
    });
    if (report.broken.length > 0 || report.diskSkipReason !== null) {
      process.exitCode = 1;
    }
    return formatReport(report);
  },
  move: () =>
    moveTrial({
      sizes: {
        devices: number(values.devices, 10_000),
        plays: number(values.plays, 1_000_000),
        mediaFiles: number(values.files, 500),
        bytesPerFile: number(values.bytes, 10_000_000),
      },
      kills: number(values.kills, 5),
      random: createSeededRandom(number(values.seed, createSeed())),
      onStep: (step) => console.error(step),
    }),
  /** Kills nodes, or with `--postgres-restarts` takes PostgreSQL away. */
  async nodes() {
    const outages = number(values['postgres-restarts'], 0);
    const report = await nodesTrial({
      devices: number(values.devices, 5_000),
      kills: number(values.kills, outages > 0 ? 0 : 100),
      outages,
      outageSeconds: number(values['outage-seconds'], 60),
      pauseSeconds: number(values['pause-seconds'], 60),
      random: createSeededRandom(number(values.seed, createSeed())),
      onStep: (step) => console.error(step),
    });
    if (missedFigures(report).length > 0) {
      process.exitCode = 1;
    }
    return formatNodesReport(report);
  },
  /** Fails when the cloud needs more than 200 MB. */
  async tus() {
    const report = await tusTrial({
      bytes: number(values.bytes, 2_147_483_648),
      cuts: number(values.cuts, 20),
      kills: number(values.kills, 3),
      random: createSeededRandom(number(values.seed, createSeed())),
      onStep: (step) => console.error(step),
    });
    if (report.peakRssMiB * 2 ** 20 >= 200_000_000) {
      process.exitCode = 1;
    }
    return report;
  },
  upload: () =>
    uploadTrial({
      bytes: number(values.bytes, 2_147_483_648),
      tooLarge: true,
      onStep: (step) => console.error(step),
    }),
};

// Exit normally on signals, so that exit handlers stop the started clouds.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1));
}

const trial = trials[positionals[0] ?? ''];
if (!trial) {
  console.error(`Name a trial: ${Object.keys(trials).join(', ')}`);
  process.exitCode = 2;
} else {
  const startMs = performance.now();
  print(await trial());
  console.error(`done in ${Math.round((performance.now() - startMs) / 1000)} s`);
}
