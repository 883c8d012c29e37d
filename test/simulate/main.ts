/**
 * A fleet of simulated devices, which speak to clouds as players do. `npm run simulate -- --devices N --server URL`;
 * see `docs/simulate.md`.
 */
import { audit } from './audit/audit.ts';
import { createCloudApi } from './cloud-api/api.ts';
import { openFleetFile } from './fleet/fleet-file.ts';
import { pairFleet } from './fleet/pair-fleet.ts';
import { readLedger } from './ledger/read-ledger.ts';
import { HELP, readAdminKey, readOptions, UsageError } from './options.ts';
import type { SimulationOptions } from './options.ts';
import { countErrors } from './report/figures.ts';
import { simulate } from './simulate.ts';

const PROGRESS_EVERY = 50;

const print = (value: object) => console.log(JSON.stringify(value));

/** Resolves with the exit code. */
async function run(options: SimulationOptions, signal: AbortSignal): Promise<number> {
  const api = createCloudApi({ servers: options.servers, adminKey: readAdminKey(process.env) });
  let errors = 0;
  try {
    if (options.command === 'run') {
      const fleet = openFleetFile(options.ledger);
      const onProgress = (paired: number, wanted: number) => {
        if (paired % PROGRESS_EVERY === 0) {
          console.error(`paired ${paired} of ${wanted} devices`);
        }
      };
      await pairFleet({ ...options, api, fleet, onProgress }, options.devices, signal);
      if (options.pairOnly) {
        return 0;
      }
      errors = countErrors(await simulate({ options, api, fleet, print }, signal));
      fleet.close();
    }
    const hasTooManyErrors = options.maxErrors !== null && errors > options.maxErrors;
    if (!options.audit) {
      return hasTooManyErrors ? 1 : 0;
    }
    const report = await audit({
      api,
      ledger: await readLedger(options.ledger),
      sampledDevices: options.auditDevices,
      onProgress: (what) => console.error(`audit: ${what}`),
    });
    print({ summary: 'audit', ...report });
    return hasTooManyErrors || Object.keys(report.findings).length > 0 ? 1 : 0;
  } finally {
    await api.close().catch(() => {
      console.error('The keys named “simulator” could not be revoked; they expire within six hours.');
    });
  }
}

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  // The second time ends it at once.
  process.once(name, () => stopping.abort());
}
try {
  const options = readOptions(process.argv.slice(2));
  if (options) {
    process.exitCode = await run(options, stopping.signal);
  } else {
    console.log(HELP);
  }
} catch (error) {
  if (stopping.signal.aborted) {
    console.error('Stopped. What is paired stays so; the same command continues.');
    process.exitCode = 130;
  } else if (error instanceof UsageError) {
    console.error(error.message);
    process.exitCode = 2;
  } else {
    throw error;
  }
}
