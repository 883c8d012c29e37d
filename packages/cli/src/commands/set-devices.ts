import type { Body, Operation } from '@placard/client';
import type { Command } from 'commander';
import { DEVICE_COLUMNS } from '../device-columns.ts';
import { bodyOf, withSettings } from '../device-settings.ts';
import type { Settings } from '../device-settings.ts';
import { UsageError } from '../output/failure.ts';
import { requireSuccess, runOperation } from '../run-operation.ts';
import { DEVICES_HELP, onlyId, selectDevices, withWhere } from '../select-devices.ts';
import type { Selection } from '../select-devices.ts';
import type { OpenSession, Session } from '../session.ts';
import { splitList } from '../targets.ts';
import { OPERATION_COLUMNS } from './operations.ts';

type Action = Body<'createOperation'>['action'];

/** Devices that one operation may name. */
const MAX_IDS = 10_000;

interface Changes extends Settings {
  addTag?: string[];
  removeTag?: string[];
  where?: string[];
}

export function addSetCommand(devices: Command, open: OpenSession): void {
  withWhere(
    withSettings(devices.command('set [devices...]'))
      .description(`change screens, ${DEVICES_HELP}`)
      .option('--add-tag <a,b>', 'tags to add', splitList)
      .option('--remove-tag <a,b>', 'tags to take away', splitList),
  ).action(async (names: string[], changes: Changes) => {
    const session = await open();
    const { out } = session;
    const { name, tags, store, orientation, addTag, removeTag } = changes;
    if ([name, tags, store, orientation, addTag, removeTag].every((each) => each === undefined)) {
      throw new UsageError('What is to change? See "placard devices set --help".');
    }
    const selection = await selectDevices(session, names, changes.where);
    const id = onlyId(selection);
    if (id !== undefined) {
      return out.list([await changeOne(session, id, changes)], DEVICE_COLUMNS);
    }
    if (name !== undefined || tags !== undefined) {
      throw new UsageError(
        '--name and --tags are for one screen; to several, --add-tag and --remove-tag apply.',
      );
    }
    const done = await runAll(session, selection, await actionsOf(session, changes));
    out.list(done, OPERATION_COLUMNS);
    await requireSuccess(session, done);
  });
}

async function changeOne(session: Session, id: string, changes: Changes) {
  const { placard, signal } = session;
  const { tags, addTag = [], removeTag = [] } = changes;
  const body = await bodyOf(session, changes);
  if (addTag.length + removeTag.length > 0) {
    const before = tags ?? (await placard.devices.get(id, { signal })).tags;
    body.tags = [...new Set([...before, ...addTag])].filter((each) => !removeTag.includes(each));
  }
  return placard.devices.update(id, body, { signal });
}

async function actionsOf(session: Session, { addTag, removeTag, ...settings }: Changes): Promise<Action[]> {
  const { store_id: store, orientation } = await bodyOf(session, settings);
  const actions: Action[] = [];
  if (addTag) {
    actions.push({ type: 'add_tags', tags: addTag });
  }
  if (removeTag) {
    actions.push({ type: 'remove_tags', tags: removeTag });
  }
  if (store !== undefined) {
    actions.push({ type: 'set_store', store_id: store });
  }
  if (orientation !== undefined) {
    actions.push({ type: 'set_orientation', orientation });
  }
  return actions;
}

/** The actions one after another, each to the screens that the first one found: it may change what a filter finds. */
async function runAll(session: Session, selection: Selection, actions: Action[]): Promise<Operation[]> {
  const [first, ...others] = actions;
  if (!first) {
    return [];
  }
  const done = [await runOperation(session, { devices: selection, action: first })];
  const ids = 'ids' in selection || others.length === 0 ? [] : await idsOf(session, done);
  for (const action of others) {
    for (const devices of 'ids' in selection ? [selection] : partsOf(ids)) {
      done.push(await runOperation(session, { devices, action }));
    }
  }
  return done;
}

async function idsOf({ placard, signal }: Session, [operation]: readonly Operation[]): Promise<string[]> {
  const results = placard.operations.listResults(operation?.id ?? '', {}, { signal });
  return (await results.toArray()).map(({ device_id: id }) => id);
}

const partsOf = (ids: readonly string[]): Selection[] =>
  Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, part) => ({
    ids: ids.slice(part * MAX_IDS, (part + 1) * MAX_IDS),
  }));
