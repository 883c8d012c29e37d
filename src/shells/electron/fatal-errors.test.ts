import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { exitOnFatalErrors } from './fatal-errors.ts';

const stream = () => Object.assign(new EventEmitter(), { write: (_text: string) => true });

function setUp() {
  const streams = { stdout: stream(), stderr: stream() };
  const process = Object.assign(new EventEmitter(), streams);
  const ends: (number | 'killed')[] = [];
  const fatal = exitOnFatalErrors({
    process,
    exit: (code) => ends.push(code),
    kill: () => ends.push('killed'),
  });
  return { process, ends, fatal };
}

test.each(['uncaughtException', 'unhandledRejection'])('logs an %s and ends at once', (kind) => {
  const { process, ends, fatal } = setUp();
  const log = createRecordingLog();
  fatal.logTo(log);
  process.emit(kind, new Error('the disk is on fire'));
  expect(ends).toEqual([1]);
  expect(log.events).toEqual([
    {
      level: 'error',
      event: 'player.crashed',
      details: { error: expect.stringContaining('the disk is on fire') },
    },
  ]);
});

test('is killed when it does not end, and exits only once', () => {
  vi.useFakeTimers();
  try {
    const { process, ends } = setUp();
    process.emit('uncaughtException', new Error('first'));
    process.emit('unhandledRejection', 'second');
    vi.advanceTimersByTime(2_000);
    expect(ends).toEqual([1, 'killed']);
  } finally {
    vi.useRealTimers();
  }
});

test('continues when nobody reads its output', () => {
  const { process, ends } = setUp();
  process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  process.stderr.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  expect(ends).toEqual([]);
});

test('starts where there are no output streams', () => {
  class WithoutStreams extends EventEmitter {
    readonly stderr = stream();
    get stdout(): never {
      throw new Error('EBADF');
    }
  }
  const process = new WithoutStreams();
  expect(() => exitOnFatalErrors({ process, exit() {}, kill() {} })).not.toThrow();
});
