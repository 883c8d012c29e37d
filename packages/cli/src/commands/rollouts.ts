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

const HELD =
  ' No screen updates of its own accord until it is deleted ("placard rollouts delete"), or a rollout for all screens has finished.';

function describe({ version, status, reason, filter, holds_updates: isHolding }: Rollout): string {
  const isForSome = Object.keys(filter).length > 0;
  const why = reason === null ? '' : ` ${reason}`;
  return `The rollout of ${version} is ${status}.${why}${isHolding && (status === 'stopped' || isForSome) ? HELD : ''}`;
}

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
      const failed = await placard.rollouts.listDevices(id, { status: 'failed' }, { signal }).toArray();
      if (out.json) {
        return out.one({ ...rollout, failed_devices: failed });
      }
      out.list([rollout], ROLLOUT_COLUMNS);
      out.note(describe(rollout));
      if (failed.length > 0) {
        out.list(failed, DEVICE_COLUMNS);
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
