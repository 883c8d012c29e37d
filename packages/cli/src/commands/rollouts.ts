import type { Body, Rollout, RolloutDevice } from '@placard/client';
import type { Command } from 'commander';
import { UsageError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';
import { selectDevices, withWhere } from '../select-devices.ts';
import type { OpenSession, Session } from '../session.ts';

const currentRing = ({ ring, rings }: Rollout) => rings[ring - 1];

const ROLLOUT_COLUMNS: Columns<Rollout> = {
  ID: ({ id }) => id,
  VERSION: ({ version }) => version,
  STATUS: ({ status }) => status,
  RING: (rollout) => {
    const ring = currentRing(rollout);
    return ring ? `${rollout.ring} of ${rollout.rings.length} (${ring.percent} %)` : null;
  },
  SCREENS: ({ fleet }) => fleet,
  UPDATED: ({ rings }) => rings.reduce((total, { updated }) => total + updated, 0),
  FAILED: ({ rings }) => rings.reduce((total, { failed }) => total + failed, 0),
  BEGAN: ({ created_at: created }) => created,
};

const RING_COLUMNS: Columns<Rollout['rings'][number]> = {
  'UP TO': ({ percent }) => `${percent} %`,
  SCREENS: ({ chosen }) => chosen,
  'NOT TOLD': ({ waiting }) => waiting,
  TOLD: ({ told }) => told,
  UPDATED: ({ updated }) => updated,
  FAILED: ({ failed }) => failed,
};

const DEVICE_COLUMNS: Columns<RolloutDevice> = {
  SCREEN: ({ device_name: name, device_id: id }) => name ?? id,
  RING: ({ ring }) => ring,
  KIND: ({ kind }) => kind,
  STATUS: ({ status }) => status,
  CODE: ({ code }) => code,
};

const numberOf = (option: string, text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) {
    throw new UsageError(`${option} takes numbers, not "${text}".`);
  }
  return value;
};

async function filterOf(session: Session, where: readonly string[] | undefined) {
  if (!where) {
    return {};
  }
  const selected = await selectDevices(session, [], where);
  const { status, fault, player_version, revision, ...filter } = 'filter' in selected ? selected.filter : {};
  if ([status, fault, player_version, revision].some((each) => each !== undefined)) {
    throw new UsageError('The screens of a rollout are chosen by tag, store, place or search alone.');
  }
  return filter;
}

/** Screens that could not update: there may be as many as the fleet has. */
const MAX_FAILED = 100;

function describe(rollout: Rollout): string {
  const { version, status, reason, holds_updates: isHolding, self_updating: selfUpdating } = rollout;
  return [
    `The rollout of ${version} is ${status}.`,
    ...(reason === null ? [] : [reason]),
    ...(isHolding ? [`No screen updates of its own accord until ${endOfHold(rollout)}.`] : []),
    ...(selfUpdating === 0
      ? []
      : [
          `Screens whose players are too old to wait for their turn, which also update of their own accord: ${selfUpdating}.`,
        ]),
  ].join(' ');
}

const endOfHold = ({ status, filter }: Rollout): string =>
  status === 'stopped' || Object.keys(filter).length > 0
    ? 'it is deleted ("placard rollouts delete"), or a rollout for all screens has finished'
    : 'it has finished';

interface StartOptions {
  where?: string[];
  name?: string;
  rings?: string;
  hold?: string;
}

/** Adds the commands about versions of the player that more and more screens get. */
export function addRolloutCommands(program: Command, open: OpenSession): void {
  const rollouts = program.command('rollouts').description('a new player version for more and more screens');
  rollouts
    .command('list', { isDefault: true })
    .description('all rollouts, newest first')
    .action(async () => {
      const { placard, out, signal } = await open();
      out.list(await placard.rollouts.list({}, { signal }).toArray(), ROLLOUT_COLUMNS);
    });
  rollouts
    .command('show <id>')
    .description('how far it is, and the screens that could not update')
    .action(async (id: string) => {
      const { placard, out, signal } = await open();
      const rollout = await placard.rollouts.get(id, { signal });
      const comparison = await placard.rollouts.getComparison(id, { signal });
      const since = comparison.ring === rollout.ring ? comparison.since : null;
      const { data: failed } = await placard.rollouts
        .listDevices(id, { status: 'failed', limit: MAX_FAILED }, { signal })
        .page();
      if (out.json) {
        return out.one({ ...rollout, compared_since: since, failed_devices: failed });
      }
      out.list([rollout], ROLLOUT_COLUMNS);
      out.note(describe(rollout));
      if (since !== null) {
        out.note(
          `The screens of ring ${rollout.ring} are compared since ${since}, ${rollout.hold_hours} hours in all.`,
        );
      }
      out.list(rollout.rings, RING_COLUMNS);
      if (failed.length > 0) {
        out.list(failed, DEVICE_COLUMNS);
      }
      const more = rollout.rings.reduce((total, ring) => total + ring.failed, 0) - failed.length;
      if (more > 0) {
        out.note(`${more} more could not update.`);
      }
    });
  withWhere(rollouts.command('start <version>'))
    .description('tell screens to update, few first; it stops by itself when they become worse')
    .option('--name <name>', 'shown beside it')
    .option('--rings <percents>', 'share of the screens after each ring, such as 1,10,100')
    .option('--hold <hours>', 'how long the screens of a ring are compared')
    .action(async (version: string, { where, name, rings, hold }: StartOptions) => {
      const session = await open();
      const { placard, out, signal } = session;
      const body: Body<'createRollout'> = {
        version,
        name: name ?? null,
        filter: await filterOf(session, where),
        ...(rings === undefined ? {} : { rings: rings.split(',').map((each) => numberOf('--rings', each)) }),
        ...(hold === undefined ? {} : { hold_hours: numberOf('--hold', hold) }),
      };
      const rollout = await placard.rollouts.create(body, { signal });
      out.done(`${describe(rollout)} Its id is ${rollout.id}.`, rollout);
    });
  rollouts
    .command('stop <id>')
    .description('tell no further screens')
    .action(async (id: string) => {
      const { placard, out, signal } = await open();
      const rollout = await placard.rollouts.stop(id, { signal });
      out.done(describe(rollout), rollout);
    });
  rollouts
    .command('continue <id>')
    .description('begin the next ring of one that is held')
    .action(async (id: string) => {
      const { placard, out, signal } = await open();
      const rollout = await placard.rollouts.continue(id, { signal });
      out.done(describe(rollout), rollout);
    });
  rollouts
    .command('delete <id>')
    .description('delete one that has ended: screens update of their own accord again')
    .action(async (id: string) => {
      const { placard, out, signal } = await open();
      out.done(`The rollout ${id} is deleted.`, await placard.rollouts.delete(id, { signal }));
    });
}
