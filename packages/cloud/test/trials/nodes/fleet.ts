import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { assert } from '../support/contract-violation.ts';

const SIMULATOR = resolve(import.meta.dirname, '../../../../../test/simulate/main.ts');
/** Each has its limit of pairings. */
const SOURCE_ADDRESSES = '127.1.0.0/16';

export interface FleetOptions {
  url: string;
  adminKey: string;
  ledger: string;
  devices: number;
  seed: number;
  /** More arguments of the simulator. */
  args: readonly string[];
}

const summary = z.looseObject({ summary: z.string() });
export type FleetSummary = z.infer<typeof summary>;

/** Simulated devices in a process of their own. */
export interface Fleet {
  /** Switches the devices off and compares the cloud with the ledger; the summaries of both. */
  end(): Promise<{ figures: FleetSummary; audit: FleetSummary }>;
  kill(): void;
}

/** Pairs the devices, which may take minutes, and switches them on. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const pairing = startSimulator(options, '--pair-only');
  assert((await pairing.closed) === 0, 'the devices could not be paired', pairing.output());
  const simulator = startSimulator(options, ...options.args);
  return {
    kill: () => simulator.kill('SIGKILL'),
    async end() {
      simulator.kill('SIGINT');
      const code = await simulator.closed;
      const summaries = simulator
        .output()
        .stdout.split('\n')
        .flatMap((line) => (line.startsWith('{') ? [summary.parse(JSON.parse(line))] : []));
      const find = (kind: string) => summaries.findLast((each) => each.summary === kind);
      const [figures, audit] = [find('end'), find('audit')];
      assert(figures && audit, `the simulator ended with ${code}`, simulator.output().stderr);
      return { figures, audit };
    },
  };
}

function startSimulator({ url, adminKey, ledger, devices, seed }: FleetOptions, ...args: string[]) {
  const child = spawn(
    process.execPath,
    [
      SIMULATOR,
      `--server=${url}`,
      `--devices=${devices}`,
      `--ledger=${ledger}`,
      `--seed=${seed}`,
      `--source-addresses=${SOURCE_ADDRESSES}`,
      '--processes=1',
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PLACARD_ADMIN_KEY: adminKey } },
  );
  if (child.pid !== undefined) {
    // Devices have processors of their own: they must not take those of the nodes, the database and the proxy.
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const kill = (signal: NodeJS.Signals) => void child.kill(signal);
  const killOnExit = () => kill('SIGKILL');
  process.once('exit', killOnExit);
  return {
    kill,
    output: () => ({ stdout, stderr }),
    closed: once(child, 'close').then(() => {
      process.removeListener('exit', killOnExit);
      return child.exitCode;
    }),
  };
}

/** The folder of the ledger of a trial. */
export const ledgerIn = (folder: string): string => join(folder, 'ledger');
