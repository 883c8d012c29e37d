import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ADMIN_KEY } from '../../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../../cloud/test/support/test-cloud.ts';

/** As it is built before the tests: it starts in half of the time that its sources take. */
const PROGRAM = join(import.meta.dirname, '../../dist/placard.js');

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The standard output as JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each command prints something else
  json: any;
}

export interface Running {
  child: ChildProcess;
  /** The lines of the standard output so far. */
  lines: string[];
  stderr: () => string;
  finished: Promise<Finished>;
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  input?: string;
}

/** Settings of each run of the tests are in a folder of their own. */
export const newConfigFolder = (): string => mkdtempSync(join(tmpdir(), 'placard-cli-'));
const defaultFolder = newConfigFolder();

/** Starts the command as a process of its own. */
export function startPlacard(
  cloud: TestCloud,
  args: readonly string[],
  { env = {}, input }: RunOptions = {},
): Running {
  // A cloud of tests has a clock that stands still: each command gets the requests of a minute.
  cloud.clock.advance(61_000);
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: {
      ...process.env,
      XDG_CONFIG_HOME: defaultFolder,
      APPDATA: defaultFolder,
      PLACARD_SERVER: cloud.cloud.url,
      PLACARD_API_KEY: ADMIN_KEY,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const lines: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    lines.splice(0, lines.length, ...stdout.split('\n').slice(0, -1));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.end(input ?? '');
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({
        code,
        stdout,
        stderr,
        get json() {
          return JSON.parse(stdout);
        },
      }),
    );
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines, stderr: () => stderr, finished };
}

/** Runs the command to its end. */
export const runPlacard = (
  cloud: TestCloud,
  args: readonly string[],
  options?: RunOptions,
): Promise<Finished> => startPlacard(cloud, args, options).finished;

/** Each of these has the exit code of wrong arguments. */
export async function expectWrongArguments(cloud: TestCloud, commands: string[][]): Promise<void> {
  const codes = await Promise.all(commands.map(async (args) => [args, (await runPlacard(cloud, args)).code]));
  expect(codes).toEqual(commands.map((args) => [args, 2]));
}
