import type { Body, Schedule, ScheduleSummary } from '@placard/client';
import type { Command } from 'commander';
import { printDryRun, tryOnly } from '../dry-run.ts';
import { findPlaylist, findSchedule } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import { noteWarnings } from '../output/warnings.ts';
import type { OpenSession } from '../session.ts';
import { collect, formatTarget, parseTarget, splitList, TARGET_HELP } from '../targets.ts';

type Days = NonNullable<Schedule['rules'][number]['days']>;
const DAYS: Days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

interface NewSchedule {
  playlist: string;
  from: string;
  to: string;
  days?: string[];
  rrule?: string;
  target: string[];
  except?: string[];
  startsOn?: string;
  endsOn?: string;
  endDayOffset?: string;
  priority?: string;
  localTime?: true;
  inactive?: true;
  dryRun?: true;
}

function parseDays(texts: string[] | undefined): Days {
  const upper = (texts ?? ['all']).map((each) => each.toUpperCase());
  if (upper.includes('ALL')) {
    return DAYS;
  }
  const wrong = upper.find((each) => !DAYS.some((day) => day === each));
  if (wrong !== undefined) {
    throw new UsageError(`"${wrong}" is no day: ${DAYS.join(', ')} or all.`);
  }
  return DAYS.filter((day) => upper.includes(day));
}

export function addScheduleCommands(program: Command, open: OpenSession): void {
  const schedules = program
    .command('schedule')
    .description('schedules: which playlist is shown when, and where');
  schedules
    .command('list', { isDefault: true })
    .description('all schedules')
    .action(async () => {
      const { placard, out, signal } = await open();
      const rows: ScheduleSummary[] = await placard.schedules.list({}, { signal }).toArray();
      out.list(rows, {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        ACTIVE: ({ is_active: active }) => (active ? 'yes' : 'no'),
        RULES: ({ rule_count: count }) => count,
        TARGETS: ({ targets }) => targets.map((each) => formatTarget(each)),
      });
    });
  schedules
    .command('show <schedule>')
    .description('one schedule with its rules')
    .action(async (text: string) => {
      const { placard, out, signal } = await open();
      const schedule = await placard.schedules.get(await findSchedule(placard, text), { signal });
      if (out.json) {
        return out.one(schedule);
      }
      const { id, name, is_active: active, targets } = schedule;
      out.one({
        id,
        name,
        active: active ? 'yes' : 'no',
        targets: targets.map((each) => formatTarget(each)),
      });
      out.list(schedule.rules, {
        PLAYLIST: ({ playlist_id: playlist }) => playlist,
        FROM: ({ start_time: start }) => start,
        TO: ({ end_time: end }) => end,
        WHEN: ({ days, rrule }) => days ?? rrule,
        EXCEPT: ({ except_dates: dates }) => dates,
        PRIORITY: ({ priority }) => priority,
      });
    });
  schedules
    .command('create <name>')
    .description('create a schedule with one rule')
    .requiredOption('--playlist <name>', 'what is shown')
    .requiredOption('--from <HH:MM>', 'when it begins')
    .requiredOption('--to <HH:MM>', 'when it ends; earlier than --from is the next day')
    .requiredOption('--target <target>', TARGET_HELP, collect)
    .option('--days <MON,TUE>', 'on these days of the week; default: all', splitList)
    .option('--rrule <rule>', 'a recurrence rule instead of days')
    .option('--except <dates>', 'days such as 2026-12-25 on which it does not begin', splitList)
    .option('--starts-on <date>', 'its first day')
    .option('--ends-on <date>', 'its last day')
    .option('--end-day-offset <days>', 'it ends that many days after it began')
    .option('--priority <number>', '0–1000; the highest is shown')
    .option('--local-time', 'in the time zone of the store')
    .option('--dry-run', 'only say which screens would show something else, when and what')
    .option('--inactive', 'without effect until "placard schedule activate"')
    .action(async (name: string, options: NewSchedule) => {
      const { placard, out, signal } = await open();
      const body: Body<'createSchedule'> = {
        name,
        is_active: !options.inactive,
        targets: await Promise.all(options.target.map((each) => parseTarget(placard, each))),
        rules: [
          {
            playlist_id: await findPlaylist(placard, options.playlist),
            start_time: options.from,
            end_time: options.to,
            ...(options.rrule === undefined ? { days: parseDays(options.days) } : { rrule: options.rrule }),
            ...(options.except && { except_dates: options.except }),
            ...(options.startsOn && { starts_on: options.startsOn }),
            ...(options.endsOn && { ends_on: options.endsOn }),
            ...(options.endDayOffset && { end_day_offset: Number(options.endDayOffset) }),
            ...(options.priority && { priority: Number(options.priority) }),
            ...(options.localTime && { local_time: true }),
          },
        ],
      };
      const schedule = await placard.schedules.create(body, { ...tryOnly(options.dryRun), signal });
      noteWarnings(out, schedule.warnings);
      if (schedule.dry_run) {
        return printDryRun(out, schedule.dry_run, schedule);
      }
      out.done(`Created ${schedule.name} (${schedule.id}).`, schedule);
    });
  for (const verb of ['activate', 'deactivate'] as const) {
    schedules
      .command(`${verb} <schedule>`)
      .description(`${verb} a schedule`)
      .action(async (text: string) => {
        const { placard, out, signal } = await open();
        const schedule = await placard.schedules[verb](await findSchedule(placard, text), { signal });
        out.done(`${schedule.name} is ${schedule.is_active ? 'active' : 'inactive'}.`, schedule);
      });
  }
  schedules
    .command('remove <schedule>')
    .description('delete a schedule')
    .option('--yes', 'really')
    .action(async (text: string, { yes }: { yes?: true }) => {
      const { placard, out, signal } = await open();
      const id = await findSchedule(placard, text);
      if (!yes) {
        throw new UsageError(`This deletes ${id}; add --yes.`);
      }
      out.done(`Deleted ${id}.`, await placard.schedules.delete(id, { signal }));
    });
}
