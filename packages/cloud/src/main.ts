import { Command } from 'commander';
import { addStartOptions } from './config/options.ts';
import type { StartOptions } from './config/options.ts';
import { isStartFault } from './domain/start-fault.ts';

const program = addStartOptions(new Command('cloud'))
  .description('The Placard cloud: the signage API, its database and its media files.')
  .allowExcessArguments(false)
  .showHelpAfterError('Use --help to see what can be set.')
  .action(run);

async function run(options: StartOptions): Promise<void> {
  // Only now: a wrong flag is told without waiting for all the libraries.
  const { startCloud } = await import('./index.ts');
  const { data, port, host, publicUrl, adminKey, allowAddress } = options;
  const cloud = await startCloud({
    port,
    host,
    dataDir: data,
    allowAddresses: allowAddress,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(adminKey === undefined ? {} : { adminKey }),
    ...(process.env['PLACARD_LOG_LEVEL'] ? { logLevel: process.env['PLACARD_LOG_LEVEL'] } : {}),
  });
  console.log(`API        ${cloud.publicUrl}/v1`);
  console.log(`Docs       ${cloud.publicUrl}/docs`);
  console.log(`Data       ${data}`);
  if (cloud.adminKey !== null) console.log(`Admin key  ${cloud.adminKey}   (shown this once; keep it)`);

  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    // Whatever still hangs after this is not worth waiting for.
    setTimeout(() => process.exit(1), 4500).unref();
    void cloud.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(isStartFault(error) ? error.message : error);
  process.exitCode = 1;
}
