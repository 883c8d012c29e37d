import { parseArgs } from 'node:util';
import { limitsInRealTime } from './limits-real.ts';
import { createChance, newSeed } from './support/chance.ts';
import { webhooksTrial } from './webhooks-trial.ts';
import { fuzzTrial } from './fuzz/fuzz-trial.ts';
import { mediaTrial } from './fuzz/media-trial.ts';
import { hostileTrial } from './hostile/hostile-trial.ts';
import { LONG } from './hostile/pressure.ts';
import { tableOf } from './hostile/table.ts';
import { killTrial } from './kill/kill-trial.ts';
import { modelTrial } from './model/model-trial.ts';
import { uploadTrial } from './upload-trial.ts';

/** The long forms: `npm run trial:fuzz -- --requests 20000 --files 20000 --seed 7` (0 leaves one out). Prints figures; time is judged by `hostile`, and by the files of `fuzz`: 250 ms for an answer meanwhile. */
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
  },
});
const number = (text: string | undefined, otherwise: number) =>
  text === undefined ? otherwise : Number(text);
const print = (value: unknown) =>
  console.log(typeof value === 'string' ? value : JSON.stringify(value, null, 1));

const trials: Record<string, () => Promise<unknown>> = {
  model: () =>
    modelTrial({
      runs: number(values.runs, 300),
      moves: number(values.moves, 60),
      ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
      ...(values.path === undefined ? {} : { path: values.path }),
    }),
  async fuzz() {
    const seed = number(values.seed, newSeed());
    const [requests, files] = [number(values.requests, 20_000), number(values.files, 20_000)];
    return {
      ...(requests > 0 && {
        requests: await fuzzTrial({
          requests,
          seed,
          collect: values.collect ?? false,
          onProgress: (sent, rssMiB) =>
            console.error(`${sent} requests sent, the server holds ${rssMiB} MiB`),
        }),
      }),
      ...(files > 0 && {
        media: await mediaTrial({
          files,
          seed,
          slowestMs: 250,
          killerEvery: 500,
          onProgress: (sent, facts) => console.error(`${sent} files sent: ${facts}`),
        }),
      }),
    };
  },
  webhooks: () =>
    webhooksTrial({
      rounds: number(values.rounds, 40),
      chance: createChance(number(values.seed, newSeed())),
    }),
  limits: () => limitsInRealTime(number(values.seed, newSeed())),
  kill: () =>
    killTrial({
      rounds: number(values.rounds, 200),
      seed: number(values.seed, newSeed()),
      onRound: (round, facts) => {
        if (round % 10 === 0) console.error(`killed ${round} times: ${facts}`);
      },
    }),
  /** Judges time: a promise of the cloud to its steady clients. A disk that was never full proves less than was asked for. */
  async hostile() {
    const report = await hostileTrial({
      seconds: number(values.minutes, 60) * 60,
      screens: number(values.screens, 100),
      seed: number(values.seed, newSeed()),
      pressure: LONG,
      judgesTimes: true,
      onProgress: (facts) => console.error(facts),
    });
    if (report.broken.length > 0 || report.diskNotTried !== null) process.exitCode = 1;
    return tableOf(report);
  },
  upload: () =>
    uploadTrial({
      bytes: number(values.bytes, 2_147_483_648),
      tooLarge: true,
      onStep: (step) => console.error(step),
    }),
};

// Told to stop, this leaves by the door, so that the clouds that it started end as well.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const trial = trials[positionals[0] ?? ''];
if (!trial) {
  console.error(`Name a trial: ${Object.keys(trials).join(', ')}`);
  process.exitCode = 2;
} else {
  const startMs = performance.now();
  print(await trial());
  console.error(`done in ${Math.round((performance.now() - startMs) / 1000)} s`);
}
