import { Command, Option } from 'commander';
import { addStartOptions, readAdminKey } from './config/options.ts';
import type { StartOptions } from './config/options.ts';
import { isStartFault } from './domain/start-fault.ts';

// Libraries are loaded by the command that needs them: a wrong flag is told at once.
const program = addStartOptions(new Command('cloud'))
  .description('The Placard cloud: the signage API, its database and its media files.')
  .allowExcessArguments(false)
  .showHelpAfterError('Use --help to see what can be set.')
  .action(start);

/** `--data`, wherever on the line it stands. */
const dataDir = (): string => program.opts<StartOptions>().data;

const keys = program.command('keys').description('make, list and revoke API keys');
keys
  .command('create')
  .description('make a key and show its secret, this once')
  .addOption(
    new Option('--scope <scope>', 'what the key may do')
      .choices(['Read', 'Write', 'Admin'])
      .makeOptionMandatory(),
  )
  .option('--name <name>', 'what the key is for', 'Made on the command line')
  .action(async (options: { scope: 'Read' | 'Write' | 'Admin'; name: string }) => {
    const { createKey, withKeys } = await import('./cli/keys.ts');
    console.log(await withKeys(dataDir(), (held) => createKey(held, options, Date.now())));
  });
keys
  .command('list')
  .description('list the keys')
  .action(async () => {
    const { listKeys, withKeys } = await import('./cli/keys.ts');
    for (const line of await withKeys(dataDir(), listKeys)) console.log(line);
  });
keys
  .command('revoke')
  .description('revoke a key; it works no more from its next request on')
  .argument('<id>')
  .action(async (id: string) => {
    const { revokeKey, withKeys } = await import('./cli/keys.ts');
    await withKeys(dataDir(), (held) => revokeKey(held, id, Date.now()));
    console.log(`Revoked ${id}.`);
  });

program
  .command('backup')
  .description('write database and media into one file, while the cloud runs')
  .argument('<file>')
  .action(async (file: string) => {
    const { backup } = await import('./cli/backup.ts');
    const { files, bytes } = await backup(dataDir(), file);
    console.log(`Wrote ${files} files with ${bytes} bytes to ${file}.`);
  });
program
  .command('restore')
  .description('make a data folder from a backup')
  .argument('<file>')
  .action(async (file: string) => {
    const { restore } = await import('./cli/restore.ts');
    const { files } = await restore(file, dataDir());
    console.log(`Restored ${files} files to ${dataDir()}.`);
  });
program
  .command('doctor')
  .description('check database, media files, codecs, disk, clock and time zone data')
  .action(async () => {
    const { examine } = await import('./cli/doctor.ts');
    for (const { ok, about, message } of await examine(dataDir(), Date.now(), program.opts<StartOptions>())) {
      console.log(`${ok ? 'ok ' : 'BAD'}  ${about.padEnd(8)}  ${message}`);
      if (!ok) process.exitCode = 1;
    }
  });

async function start(options: StartOptions): Promise<void> {
  const { createProcessLog, logWarnings, logWholeProcess } = await import('./process-log.ts');
  const log = createProcessLog(options.logLevel);
  logWarnings(log);
  const { startCloud } = await import('./index.ts');
  const { data, port, host, publicUrl } = options;
  const adminKey = options.adminKeyFile === undefined ? options.adminKey : readAdminKey(options.adminKeyFile);
  const cloud = await startCloud({
    port,
    host,
    dataDir: data,
    logLevel: options.logLevel,
    allowAddresses: options.allowAddress,
    corsOrigins: options.corsOrigin,
    trustProxies: options.trustProxy,
    minFreeBytes: options.minFree,
    videoDecoder: options.videoDecoder,
    retention: {
      minuteDays: options.keepMinutes,
      hourDays: options.keepHours,
      dayDays: options.keepDays,
      playDays: options.keepPlays,
      auditDays: options.keepAudit,
    },
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(adminKey === undefined ? {} : { adminKey }),
  });
  // What keeps it from starting is for people, and has been told by now.
  logWholeProcess(log);
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

  // Last: whoever reads this may tell it to stop at once.
  console.log(`API        ${cloud.publicUrl}/v1`);
  console.log(`Docs       ${cloud.publicUrl}/docs`);
  console.log(`Data       ${data}`);
  if (cloud.diskTrouble !== null) console.log(`Disk       ${cloud.diskTrouble}`);
  // One that was given is known, and logs are read by more people than it is for.
  if (cloud.adminKey !== null && adminKey === undefined)
    console.log(`Admin key  ${cloud.adminKey}   (shown this once; keep it)`);
}

// An empty variable, as service files leave it, is none.
for (const [name, value] of Object.entries(process.env))
  if (name.startsWith('PLACARD_') && value === '') delete process.env[name];

try {
  await program.parseAsync();
} catch (error) {
  console.error(isStartFault(error) ? error.message : error);
  process.exitCode = 1;
}
