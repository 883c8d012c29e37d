import * as fc from 'fast-check';
import { assert } from '../support/contract-violation.ts';
import { startInProcessCloud } from '../support/in-process-cloud.ts';
import { contentSteps } from './content.ts';
import { deviceSteps } from './devices.ts';
import { reportSteps } from './reports.ts';
import { compareText, createModel } from './model.ts';
import { folderSteps, organizationSteps, storeSteps } from './stores-and-folders.ts';
import { operationSteps } from './operations.ts';
import { createPushObserver } from './push-observer.ts';
import { playlistSteps } from './playlists.ts';
import { scheduleSteps } from './schedules.ts';
import { webhookSteps } from './webhooks.ts';
import { readRevisions, compareState } from './compare-state.ts';
import type { Step, World } from './world.ts';

const STEPS = [
  ...storeSteps,
  ...folderSteps,
  ...organizationSteps,
  ...contentSteps,
  ...playlistSteps,
  ...scheduleSteps,
  ...deviceSteps,
  ...operationSteps,
  ...reportSteps,
  ...webhookSteps,
];
// Create steps are frequent, because other steps need existing resources; heartbeats on sockets, because of their changes.
const FREQUENT_STEPS = /^(upload|pair|deploy|socketHeartbeat|create(Playlist|Schedule|Store|Folder))$/;
const RARE_STEPS = /^(delete|createAndRevokeKey|updateOrganization)/;
/** One step for six actions, each on many devices. */
const VERY_FREQUENT_STEPS = /^operation$/;
const weightOf = (name: string) =>
  VERY_FREQUENT_STEPS.test(name) ? 18 : FREQUENT_STEPS.test(name) ? 9 : RARE_STEPS.test(name) ? 2 : 4;

interface PlannedStep {
  step: string;
  input: unknown;
}

const plannedStep: fc.Arbitrary<PlannedStep> = fc.oneof(
  ...STEPS.map((one: Step) => ({
    weight: weightOf(one.name),
    arbitrary: fc.record({ step: fc.constant(one.name), input: one.input }),
  })),
);

const first = (kind: string, n = 0) => ({ kind, n, choice: 0 });
const item = (n: number) => ({ ref: first('assets', n), duration: 5 + n, weight: 1 + n });
const days = { start_time: '06:30', end_time: '22:15', when: { days: ['MON', 'SUN'] } };
/** Initial steps that create some resources. */
const INITIAL_STEPS: readonly PlannedStep[] = [
  { step: 'createStore', input: { name: 'Old town', corruption: null } },
  { step: 'createFolder', input: { name: 'Menus', corruption: null } },
  { step: 'upload', input: { picture: 0 } },
  { step: 'upload', input: { picture: 1, folder: first('folders') } },
  {
    step: 'createPlaylist',
    input: { name: 'One', mode: 'sequential', items: [item(0), item(1)], corruption: null },
  },
  {
    step: 'createPlaylist',
    input: { name: 'Two', mode: 'weighted', items: [item(1), item(1)], corruption: null },
  },
  { step: 'pair', input: { tags: ['counter'] } },
  { step: 'pair', input: { store: first('stores') } },
  {
    step: 'createSchedule',
    input: {
      name: 'Breakfast',
      rules: [{ ref: first('playlists', 1), ...days }],
      targets: [{ type: 'tag', value: 'counter' }],
      corruption: null,
    },
  },
  {
    step: 'deploy',
    input: { ref: first('playlists'), targets: [{ type: 'store', ref: first('stores') }], corruption: null },
  },
];

export interface ModelTrialOptions {
  runs: number;
  /** Maximum number of steps in one run. */
  moves: number;
  seed?: number;
  path?: string;
}

export interface ModelReport {
  runs: number;
  moves: number;
  requests: number;
  /** Number of responses by `operation status-or-code`. */
  tally: Record<string, number>;
}

/**
 * Model-based test: random operations on a fresh cloud, compared with a model of the documented behaviour. Rejects with
 * seed, path and the shortest failing sequence.
 */
export async function modelTrial(options: ModelTrialOptions): Promise<ModelReport> {
  const tally = new Map<string, number>();
  const report = { runs: 0, moves: 0, requests: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(plannedStep, { minLength: 1, maxLength: options.moves, size: 'max' }),
      async (moves) => {
        report.requests += await runSteps(moves, tally);
        report.runs++;
        report.moves += moves.length;
      },
    ),
    {
      numRuns: options.runs,
      ...(options.seed === undefined ? {} : { seed: options.seed }),
      ...(options.path === undefined ? {} : { path: options.path }),
      // The inputs already contain edge cases; biasing towards more of them leaves the cloud empty.
      unbiased: true,
      // Shrinking starts a cloud each time, so its time is limited.
      interruptAfterTimeLimit: 600_000,
      markInterruptAsFailure: false,
    },
  );
  return { ...report, tally: Object.fromEntries([...tally].toSorted(([a], [b]) => compareText(a, b))) };
}

async function runSteps(moves: readonly PlannedStep[], tally: Map<string, number>): Promise<number> {
  const cloud = await startInProcessCloud();
  const { client, api } = cloud;
  let count = 0;
  const world: World = {
    api,
    model: createModel(),
    adminKey: cloud.adminKey,
    sockets: new Map(),
    next: () => count++,
    nowMs: () => cloud.nowMs(),
    tally,
  };
  const pushObserver = createPushObserver(world);
  try {
    let before = await readRevisions(world);
    for (const { step, input } of [...INITIAL_STEPS, ...moves]) {
      await STEPS.find((one) => one.name === step)!.run(world, input);
      const after = await readRevisions(world);
      compareRevisions(step, before, after);
      await pushObserver.checkRevisions(after);
      before = after;
    }
    await compareState(world);
    return [...client.statusCounts.values()].reduce((sum, n) => sum + n, 0);
  } finally {
    pushObserver.close();
    await cloud.close();
  }
}

/** The revision must change exactly when the expected manifest changes. */
function compareRevisions(
  step: string,
  before: Awaited<ReturnType<typeof readRevisions>>,
  after: Awaited<ReturnType<typeof readRevisions>>,
): void {
  for (const [id, now] of after) {
    const then = before.get(id);
    if (!then) {
      continue;
    }
    if (now.expected !== then.expected) {
      assert(now.revision !== then.revision, `${step} changed what ${id} shows, but not its revision`, {
        before: then,
        now,
      });
    }
    // Rules that were sent again may have another update time.
    else if (!/Schedule/.test(step)) {
      assert(now.revision === then.revision, `${step} changed the revision of ${id}, but not what it shows`, {
        before: then,
        now,
      });
    }
  }
}
