import { setTimeout } from 'node:timers/promises';
import { operations } from '@placard/protocol/api';
import type { BulkAction, BulkOperation, OperationResult } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { assert } from '../support/contract-violation.ts';
import { bodyCorruption, optional, ref, resolveRef, tagList, TAGS, worstValidity } from './inputs.ts';
import type { Ref } from './inputs.ts';
import { deployTo } from './model.ts';
import type { DeviceModel, Model } from './model.ts';
import { attempt, step } from './world.ts';
import type { World } from './world.ts';

/** Between two questions how far an operation is; each also advances the clock of the cloud. */
const ASK_EVERY_MS = 2;
/** Far more than a few devices need, also on a busy machine. */
const QUESTIONS = 5000;

type SelectionInput =
  | { ids: Ref[] }
  | { filter: { tag?: string | undefined; store?: Ref | undefined; colour?: 'red' | undefined } };

const rarely = <T, U>(value: T, ...otherwise: [U, ...U[]]): fc.Arbitrary<T | U> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(value) },
    { weight: 12, arbitrary: fc.constantFrom(...otherwise) },
  );

const selectionInput: fc.Arbitrary<SelectionInput> = fc.oneof(
  fc.record({ ids: fc.array(ref('devices'), { minLength: 1, maxLength: 6 }) }),
  fc.record({
    filter: fc.record(
      {
        tag: optional(fc.constantFrom(...TAGS)),
        store: optional(ref('stores')),
        colour: rarely('red' as const, undefined),
      },
      { requiredKeys: [] },
    ),
  }),
);

type ActionInput =
  | { type: 'command'; command: string }
  | { type: 'add_tags' | 'remove_tags'; tags: string[] }
  | { type: 'set_store'; store: Ref | null }
  | { type: 'set_orientation'; orientation: string }
  | { type: 'deploy'; playlist: Ref };

const actionInput: fc.Arbitrary<ActionInput> = fc.oneof(
  fc.record({
    type: fc.constant('command' as const),
    command: rarely('SELF_DESTRUCT', 'REFRESH', 'REBOOT', 'APP_RESTART', 'UPDATE_CHECK'),
  }),
  fc.record({ type: fc.constantFrom('add_tags' as const, 'remove_tags' as const), tags: tagList() }),
  fc.record({ type: fc.constant('set_store' as const), store: fc.option(ref('stores'), { freq: 4 }) }),
  fc.record({
    type: fc.constant('set_orientation' as const),
    orientation: rarely('upside down', 'landscape', 'portrait', 'portrait-flipped'),
  }),
  fc.record({ type: fc.constant('deploy' as const), playlist: ref('playlists') }),
);

/** The devices that are meant, in no order, and how the request says so. */
function resolveSelection(model: Model, input: SelectionInput) {
  if ('ids' in input) {
    const ids = input.ids.map((each) => resolveRef(model, each).id);
    return { devices: { ids }, meant: new Set(ids), isValid: true };
  }
  const { tag, store, colour } = input.filter;
  const store_id = store && resolveRef(model, store).id;
  const meant = [...model.devices].filter(
    ([, device]) =>
      (tag === undefined || device.tags.includes(tag)) && (!store_id || device.store === store_id),
  );
  return {
    devices: { filter: { tag, store_id, colour } },
    meant: new Set(meant.map(([id]) => id)),
    isValid: colour === undefined,
  };
}

function resolveAction(model: Model, input: ActionInput) {
  switch (input.type) {
    case 'command':
      return { action: input, isValid: input.command !== 'SELF_DESTRUCT' };
    case 'set_orientation':
      return { action: input, isValid: input.orientation !== 'upside down' };
    case 'set_store': {
      const { id, live } = input.store === null ? { id: null, live: true } : resolveRef(model, input.store);
      return {
        action: { type: input.type, store_id: id },
        isValid: true,
        missing: !live && ('STORE_NOT_FOUND' as const),
      };
    }
    case 'deploy': {
      const { id, live } = resolveRef(model, input.playlist);
      return {
        action: { type: input.type, playlist_id: id },
        isValid: true,
        missing: !live && ('PLAYLIST_NOT_FOUND' as const),
      };
    }
    case 'add_tags':
    case 'remove_tags':
    default:
      return { action: input, isValid: input.tags.length > 0 };
  }
}

/** What a device has after the action. */
function applyTo(world: World, device: DeviceModel, action: BulkAction, result: OperationResult): void {
  const { device_id: id, command_id: command, deployment_id: deployment } = result;
  assert(
    (command !== null) === (action.type === 'command') &&
      (deployment !== null) === (action.type === 'deploy'),
    'a result names something else than what the action makes',
    { action, result },
  );
  switch (action.type) {
    case 'command':
      world.model.commands.set(command ?? '', { device: id, command: action.command, finished: null });
      return;
    case 'add_tags':
      device.tags = [...new Set([...device.tags, ...action.tags])];
      return;
    case 'remove_tags':
      device.tags = device.tags.filter((tag) => !action.tags.includes(tag));
      return;
    case 'set_store':
      device.store = action.store_id;
      return;
    case 'set_orientation':
      device.orientation = action.orientation;
      return;
    case 'deploy':
      deployTo(world.model, action.playlist_id, [{ type: 'device', id }]);
      return;
    default:
      action satisfies never;
  }
}

async function waitUntilFinished({ api }: World, id: string): Promise<BulkOperation> {
  for (let questions = 0; ; questions++) {
    const operation = await api.expectSuccess(operations.getOperation, { params: { id } });
    if (operation.finished_at !== null) {
      return operation;
    }
    assert(questions < QUESTIONS, 'an operation does not finish', operation);
    await setTimeout(ASK_EVERY_MS);
  }
}

/** Compares the results with the devices that were meant, and applies those that succeeded. */
async function applyResults(
  world: World,
  operation: BulkOperation,
  meant: ReadonlySet<string>,
): Promise<void> {
  const { api, model } = world;
  const results = await api.expectSuccess(operations.listOperationResults, {
    params: { id: operation.id },
    query: { limit: 100 },
  });
  const ids = new Set(results.map((result) => result.device_id));
  const isCancelled = operation.status === 'cancelled';
  assert(
    ids.size === results.length &&
      results.every((result) => meant.has(result.device_id)) &&
      (isCancelled || ids.size === meant.size),
    'the results are not those of the devices that were meant, one for each',
    { operation, results, meant: [...meant] },
  );
  for (const result of results) {
    const device = model.devices.get(result.device_id);
    const isPending = isCancelled && result.status === 'pending';
    assert(
      isPending || (device ? result.status === 'succeeded' : result.error?.code === 'DEVICE_NOT_FOUND'),
      'a device has another result than it must have',
      { operation, result },
    );
    if (device && !isPending) {
      applyTo(world, device, operation.action, result);
      const outcome = `operation ${operation.action.type} succeeded`;
      world.tally.set(outcome, (world.tally.get(outcome) ?? 0) + 1);
    }
  }
  const count = (status: string) => results.filter((result) => result.status === status).length;
  assert(
    operation.total === results.length &&
      operation.succeeded === count('succeeded') &&
      operation.failed === count('failed'),
    'an operation counts other results than it has',
    { operation, results },
  );
  model.operations.set(operation.id, operation);
}

export const operationSteps = [
  step({
    name: 'operation',
    input: fc.record({
      selection: selectionInput,
      action: actionInput,
      isCancelled: rarely(true, false),
      corruption: bodyCorruption(),
    }),
    async run(world, { selection, action: actionGiven, isCancelled, corruption }) {
      const { devices, meant, isValid } = resolveSelection(world.model, selection);
      const {
        action,
        isValid: isActionValid,
        missing = false as const,
      } = resolveAction(world.model, actionGiven);
      const made = await attempt(world, operations.createOperation, {
        body: { devices, action },
        corruption,
        validity: worstValidity(isValid ? 'valid' : 'invalid', isActionValid ? 'valid' : 'invalid'),
        expectedErrors: [missing],
      });
      if (!made) {
        return;
      }
      if (isCancelled) {
        await attempt(world, operations.cancelOperation, { params: { id: made.id } });
      }
      await applyResults(world, await waitUntilFinished(world, made.id), meant);
    },
  }),
];
