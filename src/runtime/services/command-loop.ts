import { isDeepStrictEqual } from 'node:util';
import { Fault, type CommandName, type WireCommand } from '@placard/protocol';
import { backoffMs } from '../../core/backoff.ts';
import {
  finish,
  nextAction,
  outlivesTheRun,
  isKnownEntry,
  progress,
  receive,
  recover,
  statusOf,
  type CommandEntry,
  type KnownEntry,
  type Run,
} from '../../core/commands/journal.ts';
import type { Clock, DeviceLink, Log, Random, Store } from '../../core/ports.ts';
import type { Bell } from '../bell.ts';
import type { Service } from '../supervisor.ts';

/** What came of a command. */
export interface ActEnd {
  stage: 'succeeded' | 'failed';
  result: Record<string, unknown>;
}

/** A command that is carried out, maybe begun by an earlier run of the player. */
export interface Doing {
  /** What was told of it last; null at its beginning. */
  before: Record<string, unknown> | null;
  /** Tells the cloud how far it has come. */
  tell: (progress: Record<string, unknown>) => void;
}

/** Does what a command says and answers what came of it; rejects when it could not. */
export type CommandActs = Record<CommandName, (signal: AbortSignal, doing: Doing) => Promise<ActEnd>>;

export interface CommandLoopDeps {
  clock: Clock;
  random: Random;
  store: Store;
  link: DeviceLink;
  bell: Bell;
  launch: Omit<Run, 'uptimeMs'>;
  /** Seconds since the operating system booted. */
  uptimeSeconds(): number;
  acts: CommandActs;
  onUnpaired(): void;
  log: Log;
}

export interface CommandLoop extends Service {
  readonly accept: (commands: readonly WireCommand[]) => void;
}

const RETRY = { baseMs: 2_000, capMs: 60_000 };
const IDLE_MS = 60_000;
/** Ids are known for this long, so that a command that comes again is not done again. */
const KEEP_MS = 30 * 24 * 3_600_000;

/** Commands from the cloud: written down, then told, then done, at most once, whatever happens in between. */
export function createCommandLoop(deps: CommandLoopDeps): CommandLoop {
  const { clock, store, bell, log } = deps;

  const save = (entry: CommandEntry) => {
    store.saveCommand(entry);
    return entry;
  };

  const runNow = (): Run => ({ ...deps.launch, uptimeMs: deps.uptimeSeconds() * 1_000 });
  const find = (id: string) => store.readCommands().find((entry) => entry.id === id);
  /** What takes long and outlives a run is done beside the others. */
  const beside = new Map<string, Promise<void>>();

  function doBeside(entry: KnownEntry, signal: AbortSignal): void {
    if (beside.has(entry.id)) return;
    const done = execute(entry, signal)
      .catch((error: unknown) =>
        log.error({ command: entry.id, error: String(error) }, 'command.not_written'),
      )
      .finally(() => {
        beside.delete(entry.id);
        bell.ring();
      });
    beside.set(entry.id, done);
  }

  /** Tells the cloud what it does not know yet; false when it could not be told. */
  async function report(signal: AbortSignal): Promise<boolean> {
    let told = true;
    for (const entry of store.readCommands()) {
      const status = statusOf(entry);
      if (!status) continue;
      try {
        const answer = await deps.link.commandStatus(entry.id, status, signal);
        if (answer.kind === 'unpaired') {
          deps.onUnpaired();
          return false;
        }
        if (answer.kind === 'refused') {
          const { status: httpStatus, code } = answer;
          log.warn({ command: entry.id, told: status.status, status: httpStatus, code }, 'command.refused');
        }
        // It may have come further while the cloud answered: that is to be told yet.
        const now = find(entry.id);
        if (now && isDeepStrictEqual(statusOf(now), status)) save({ ...now, told: status.status });
      } catch (error) {
        if (signal.aborted || !(error instanceof Fault)) throw error;
        log.warn({ command: entry.id, code: error.code, ...error.facts }, 'command.not_reported');
        told = false;
        // An answer may be to this one alone; without any, or asked to slow down, the others can wait.
        if (error.facts.status === undefined || error.code === 'cloud.busy') break;
      }
    }
    return told;
  }

  async function execute(entry: KnownEntry, signal: AbortSignal): Promise<void> {
    log.info({ command: entry.id, name: entry.command }, 'command.begun');
    try {
      const { stage, result } = await deps.acts[entry.command](signal, {
        before: entry.result,
        tell(result) {
          if (signal.aborted) return;
          save(progress(find(entry.id) ?? entry, result));
          bell.ring();
        },
      });
      // A stop in the midst of it is told by the run after this one.
      if (signal.aborted) return;
      save(finish(find(entry.id) ?? entry, stage, result));
      log.info({ command: entry.id, stage, result }, 'command.done');
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      save(finish(find(entry.id) ?? entry, 'failed', { reason: reason.slice(0, 300) }));
      log.warn({ command: entry.id, reason }, 'command.failed');
    }
  }

  return {
    name: 'commands',
    accept(commands) {
      for (const command of commands) {
        const entry = receive(store.readCommands(), command, clock.wall());
        if (!entry) continue;
        try {
          save(entry);
        } catch (error) {
          // What cannot be written down is not done; the cloud offers it again with the next heartbeat.
          log.error({ command: entry.id, error: String(error) }, 'command.not_written');
          continue;
        }
        log.info({ command: entry.id, name: entry.command }, 'command.received');
        bell.ring();
      }
    },
    async run(signal) {
      for (const entry of store.readCommands()) {
        const found = recover(entry, runNow());
        if (found !== entry) save(found);
        if (found.stage === 'executing' && isKnownEntry(found)) doBeside(found, signal);
      }
      let attempts = 0;
      while (!signal.aborted) {
        const told = await report(signal);
        if (signal.aborted) return;
        const nowMs = clock.confirmed ? clock.wall() : null;
        const action = nextAction(store.readCommands(), runNow(), nowMs);
        if (action) {
          save(action.entry);
          if (action.kind === 'execute') {
            if (outlivesTheRun(action.entry.command)) doBeside(action.entry, signal);
            else await execute(action.entry, signal);
          }
          continue;
        }
        attempts = told ? 0 : attempts + 1;
        if (told && nowMs !== null) store.forgetCommandsBefore(nowMs - KEEP_MS);
        await bell.wait(told ? IDLE_MS : backoffMs(attempts, deps.random.next(), RETRY), signal);
      }
    },
  };
}
