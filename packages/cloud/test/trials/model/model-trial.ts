import * as fc from 'fast-check';
import { createApi } from '../support/api.ts';
import { must } from '../support/breach.ts';
import { createClient } from '../support/client.ts';
import { openCloud } from '../support/open-cloud.ts';
import { contentSteps } from './content.ts';
import { deviceSteps } from './devices.ts';
import { compare, createModel } from './model.ts';
import { folderSteps, organizationSteps, storeSteps } from './places.ts';
import { createPushes } from './pushes.ts';
import { playlistSteps } from './playlists.ts';
import { scheduleSteps } from './schedules.ts';
import { webhookSteps } from './webhooks.ts';
import { revisions, sweep } from './sweep.ts';
import type { Step, World } from './world.ts';

const STEPS = [
  ...storeSteps,
  ...folderSteps,
  ...organizationSteps,
  ...contentSteps,
  ...playlistSteps,
  ...scheduleSteps,
  ...deviceSteps,
  ...webhookSteps,
];
// Things have to be there before much can happen to them.
const OFTEN = /^(upload|pair|deploy|create(Playlist|Schedule|Store|Folder))$/;
const SELDOM = /^(delete|createAndRevokeKey|updateOrganization)/;
const weightOf = (name: string) => (OFTEN.test(name) ? 9 : SELDOM.test(name) ? 2 : 4);

interface Move {
  step: string;
  with: unknown;
}

const move: fc.Arbitrary<Move> = fc.oneof(
  ...STEPS.map((one: Step) => ({
    weight: weightOf(one.name),
    arbitrary: fc.record({ step: fc.constant(one.name), with: one.input }),
  })),
);

const first = (kind: string, n = 0) => ({ kind, n, odd: 0 });
const item = (n: number) => ({ ref: first('assets', n), duration: 5 + n, weight: 1 + n });
const days = { start_time: '06:30', end_time: '22:15', when: { days: ['MON', 'SUN'] } };
/** A cloud that something can happen to. */
const FURNITURE: readonly Move[] = [
  { step: 'createStore', with: { name: 'Old town', spoil: null } },
  { step: 'createFolder', with: { name: 'Menus', spoil: null } },
  { step: 'upload', with: { picture: 0 } },
  { step: 'upload', with: { picture: 1, folder: first('folders') } },
  {
    step: 'createPlaylist',
    with: { name: 'One', mode: 'sequential', items: [item(0), item(1)], spoil: null },
  },
  { step: 'createPlaylist', with: { name: 'Two', mode: 'weighted', items: [item(1), item(1)], spoil: null } },
  { step: 'pair', with: { tags: ['counter'] } },
  { step: 'pair', with: { store: first('stores') } },
  {
    step: 'createSchedule',
    with: {
      name: 'Breakfast',
      rules: [{ ref: first('playlists', 1), ...days }],
      targets: [{ type: 'tag', value: 'counter' }],
      spoil: null,
    },
  },
  {
    step: 'deploy',
    with: { ref: first('playlists'), targets: [{ type: 'store', ref: first('stores') }], spoil: null },
  },
];

export interface ModelTrial {
  runs: number;
  /** Most moves in one run. */
  moves: number;
  seed?: number;
  path?: string;
}

export interface ModelReport {
  runs: number;
  moves: number;
  requests: number;
  /** Answers by `operation status-or-code`. */
  tally: Record<string, number>;
}

/**
 * Random moves over all resources, each against a fresh cloud and beside a model of what the documents promise.
 * Rejects with seed, path and the shortest sequence that still breaks something.
 */
export async function modelTrial(options: ModelTrial): Promise<ModelReport> {
  const tally = new Map<string, number>();
  const report = { runs: 0, moves: 0, requests: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(move, { minLength: 1, maxLength: options.moves, size: 'max' }),
      async (moves) => {
        report.requests += await play(moves, tally);
        report.runs++;
        report.moves += moves.length;
      },
    ),
    {
      numRuns: options.runs,
      ...(options.seed === undefined ? {} : { seed: options.seed }),
      ...(options.path === undefined ? {} : { path: options.path }),
      // Edge cases are among the inputs already; more of them only makes empty worlds.
      unbiased: true,
      // Shrinking starts a cloud each time: stop looking for the very shortest after a while.
      interruptAfterTimeLimit: 600_000,
      markInterruptAsFailure: false,
    },
  );
  return { ...report, tally: Object.fromEntries([...tally].toSorted(([a], [b]) => compare(a, b))) };
}

async function play(moves: readonly Move[], tally: Map<string, number>): Promise<number> {
  const cloud = await openCloud();
  const client = createClient({ url: cloud.url });
  // Time passes between two requests of the operator, so that no limit is met.
  const api = createApi({
    client,
    key() {
      cloud.pass(2_500);
      return cloud.adminKey;
    },
  });
  let count = 0;
  const world: World = {
    api,
    model: createModel(),
    adminKey: cloud.adminKey,
    next: () => count++,
    nowMs: () => cloud.nowMs(),
    tally,
  };
  const pushes = createPushes(world);
  try {
    let before = await revisions(world);
    for (const { step, with: input } of [...FURNITURE, ...moves]) {
      await STEPS.find((one) => one.name === step)!.run(world, input);
      const after = await revisions(world);
      compareRevisions(step, before, after);
      await pushes.follow(after);
      before = after;
    }
    await sweep(world);
    return [...client.statuses.values()].reduce((sum, n) => sum + n, 0);
  } finally {
    pushes.close();
    await client.close();
    await cloud.close();
  }
}

/** Another picture, another revision; the same picture, the same revision. */
function compareRevisions(
  step: string,
  before: Awaited<ReturnType<typeof revisions>>,
  after: Awaited<ReturnType<typeof revisions>>,
): void {
  for (const [id, now] of after) {
    const then = before.get(id);
    if (!then) continue;
    if (now.expected !== then.expected)
      must(now.revision !== then.revision, `${step} changed what ${id} shows, but not its revision`, {
        before: then,
        now,
      });
    // Rules that were sent again may carry another time of change.
    else if (!/Schedule/.test(step))
      must(now.revision === then.revision, `${step} changed the revision of ${id}, but not what it shows`, {
        before: then,
        now,
      });
  }
}
