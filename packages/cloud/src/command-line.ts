import { Command, Option } from 'commander';
import { toMailServer } from './config/mail-options.ts';
import { toCompanySignIn } from './config/people-options.ts';
import { addUserCommands } from './cli/user-commands.ts';
import { addStartOptions, readAdminKey } from './config/options.ts';
import type { StartOptions } from './config/options.ts';
import { toTracingSettings } from './config/tracing-options.ts';
import { toMetricsSettings } from './config/metrics-options.ts';
import { requireConsistentMedia, toS3Settings } from './config/media-options.ts';
import { describePostgres } from './database/postgres-url.ts';
import { StartupError } from './domain/startup-error.ts';
import { describeLocation } from './blob/s3/s3-settings.ts';

// Commands import their libraries lazily, so that invalid flags are reported immediately.
const program = addStartOptions(new Command('cloud'))
  .description('The Placard cloud: the signage API, its database and its media files.')
  .allowExcessArguments(false)
  .showHelpAfterError('Use --help to list the options.')
  .action(start);

/** `--data`, wherever it is given on the command line. */
const dataDir = (): string => program.opts<StartOptions>().data;
const report = (line: string) => console.log(line);
const s3Settings = () => toS3Settings(program.opts<StartOptions>());

const keysCommand = program.command('keys').description('create, list and revoke API keys');
keysCommand
  .command('create')
  .description('create a key and print its secret, which is shown only once')
  .addOption(
    new Option('--scope <scope>', 'what the key may do')
      .choices(['Read', 'Write', 'Admin'])
      .makeOptionMandatory(),
  )
  .option('--name <name>', 'what the key is for', 'Made on the command line')
  .action(async (options: { scope: 'Read' | 'Write' | 'Admin'; name: string }) => {
    const { createKey, withKeyRepositories } = await import('./cli/keys.ts');
    console.log(
      await withKeyRepositories(program.opts<StartOptions>(), (repositories) =>
        createKey(repositories, options, Date.now()),
      ),
    );
  });
keysCommand
  .command('list')
  .description('list the keys')
  .action(async () => {
    const { listKeys, withKeyRepositories } = await import('./cli/keys.ts');
    for (const line of await withKeyRepositories(program.opts<StartOptions>(), listKeys)) {
      console.log(line);
    }
  });
keysCommand
  .command('revoke')
  .description('revoke a key; its next request is rejected')
  .argument('<id>')
  .action(async (id: string) => {
    const { revokeKey, withKeyRepositories } = await import('./cli/keys.ts');
    await withKeyRepositories(program.opts<StartOptions>(), (repositories) =>
      revokeKey(repositories, id, Date.now()),
    );
    console.log(`Revoked ${id}.`);
  });

addUserCommands(program, () => program.opts<StartOptions>());

program
  .command('backup')
  .description(
    'write database and media files into one file; the cloud may be running. Media in S3 are not included',
  )
  .argument('<file>')
  .action(async (file: string) => {
    const { backup } = await import('./cli/backup.ts');
    const s3 = s3Settings();
    const { database, minFree } = program.opts<StartOptions>();
    const { files, bytes } = await backup(dataDir(), file, {
      withMedia: s3 === undefined,
      database,
      minFree,
    });
    console.log(`Wrote ${files} files with ${bytes} bytes to ${file}.`);
    if (s3) {
      console.log(
        `It contains the database only. The media files stay in ${describeLocation(s3)}: protect them there.`,
      );
    }
  });
program
  .command('restore')
  .description('restore a backup into an empty data folder, or with --database into an empty database')
  .argument('<file>')
  .option(
    '--take-media',
    'use a media store of which another cloud is known, and stop that one from deleting there',
    false,
  )
  .action(async (file: string, { takeMedia }: { takeMedia: boolean }) => {
    const { restore } = await import('./cli/restore.ts');
    const s3 = s3Settings();
    const { database } = program.opts<StartOptions>();
    const { files } = await restore(file, { dataDir: dataDir(), s3, database, takeMedia, report });
    const places = [
      ...(database === undefined ? [] : [describePostgres(database)]),
      ...(database === undefined || !s3 ? [dataDir()] : []),
      ...(s3 ? [describeLocation(s3)] : []),
    ];
    console.log(`Restored ${files} files to ${places.join(' and ')}.`);
  });
program
  .command('take-media')
  .description(
    'make the media files those of this database: another cloud that used them neither starts nor deletes there',
  )
  .action(async () => {
    const { takeMedia } = await import('./cli/take-media.ts');
    const { database } = program.opts<StartOptions>();
    const { location, place } = await takeMedia({ dataDir: dataDir(), database, s3: s3Settings() });
    console.log(`The media files in ${location} belong to the database ${place} from now on.`);
  });
program
  .command('doctor')
  .description('check database, media files, codecs, disk, clock and time zone data')
  .action(async () => {
    const { runDoctor } = await import('./cli/doctor.ts');
    const options = program.opts<StartOptions>();
    for (const { ok, check, message } of await runDoctor(dataDir(), Date.now(), {
      ...options,
      s3: s3Settings(),
    })) {
      console.log(`${ok ? 'ok ' : 'BAD'}  ${check.padEnd(8)}  ${message}`);
      if (!ok) {
        process.exitCode = 1;
      }
    }
  });
program
  .command('move')
  .description(
    'copy a stopped cloud to PostgreSQL, and with --blobs its media files to S3; can be interrupted and started again',
  )
  .addOption(
    new Option('--to <url>', 'postgres://user:password@host/name of an empty database')
      .env('PLACARD_DATABASE')
      .makeOptionMandatory(),
  )
  .option('--verify-only', 'compare both after a move, and change nothing', false)
  .option(
    '--allow-damaged-media',
    'move although media files are missing or damaged in the data folder',
    false,
  )
  .action(async (options: { to: string; verifyOnly: boolean; allowDamagedMedia: boolean }) => {
    const [{ moveCloud }, { systemClock }] = await Promise.all([
      import('./move/move-cloud.ts'),
      import('./system-clock.ts'),
    ]);
    await moveCloud({
      ...options,
      dataDir: dataDir(),
      s3: s3Settings(),
      clock: systemClock,
      report,
    });
  });

async function start(options: StartOptions): Promise<void> {
  requireConsistentMedia(options);
  const s3 = toS3Settings(options);
  const metrics = toMetricsSettings(options);
  const { createLogger, logNodeWarnings, logConsoleAndCrashes } = await import('./logger.ts');
  const log = createLogger(options.logLevel);
  logNodeWarnings(log);
  const { startCloud } = await import('./index.ts');
  const { data, port, host, publicUrl } = options;
  const adminKey = options.adminKeyFile === undefined ? options.adminKey : readAdminKey(options.adminKeyFile);
  const cloud = await startCloud({
    port,
    host,
    dataDir: data,
    database: options.database,
    s3,
    metrics,
    tracing: toTracingSettings(options, process.env),
    mediaDelivery: options.mediaDelivery,
    company: toCompanySignIn(options),
    mailServer: toMailServer(options),
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
      screenshotDays: options.keepScreenshots,
      uploadHours: options.keepUploads,
    },
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(options.cdnUrl === undefined ? {} : { cdnUrl: options.cdnUrl }),
    ...(adminKey === undefined ? {} : { adminKey }),
  });
  // After this point errors go to the log; startup errors are printed for people.
  logConsoleAndCrashes(log);
  let isStopping = false;
  const stopNow = new AbortController();
  const stop = async () => {
    if (isStopping) {
      stopNow.abort();
      return;
    }
    isStopping = true;
    if (options.drain > 0) {
      console.log(`Sending devices to other nodes for ${options.drain} s. Ask again to stop at once.`);
      await cloud.drain(options.drain * 1000, stopNow.signal);
    }
    // Do not wait longer for a shutdown that hangs.
    setTimeout(() => process.exit(1), 4500).unref();
    await cloud.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void stop());
  }

  // Printed last: a program that reads this may stop the cloud at once.
  console.log(`API        ${cloud.publicUrl}/v1`);
  console.log(`Docs       ${cloud.publicUrl}/docs`);
  console.log(`Data       ${data}`);
  if (options.database !== undefined) {
    console.log(`Database   ${describePostgres(options.database)}`);
  }
  if (s3) {
    console.log(`Media      ${describeLocation(s3)}`);
  }
  if (cloud.metricsUrl !== null) {
    console.log(`Metrics    ${cloud.metricsUrl}`);
  }
  if (cloud.diskWarning !== null) {
    console.log(`Disk       ${cloud.diskWarning}`);
  }
  if (cloud.firstAdminUrl !== null) {
    console.log(`Sign up    ${cloud.firstAdminUrl}   (for the first Admin; works once, for 24 hours)`);
  }
  // A given key is already known, and logs are read by more people than should know it.
  if (cloud.adminKey !== null && adminKey === undefined) {
    console.log(`Admin key  ${cloud.adminKey}   (shown only once; store it now)`);
  }
}

// Empty variables, as service files may set them, count as unset.
for (const [name, value] of Object.entries(process.env)) {
  if (name.startsWith('PLACARD_') && value === '') {
    delete process.env[name];
  }
}

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof StartupError ? error.message : error);
  process.exitCode = 1;
}
