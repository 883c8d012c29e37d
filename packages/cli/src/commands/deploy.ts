import type { Body } from '@placard/client';
import type { Command } from 'commander';
import { printDryRun, tryOnly } from '../dry-run.ts';
import { findPlaylist } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import { noteWarnings } from '../output/warnings.ts';
import { requireSuccess, runOperation } from '../run-operation.ts';
import { DEVICES_HELP, selectDevices, withWhere } from '../select-devices.ts';
import type { OpenSession, Session } from '../session.ts';
import { collect, parseTarget, TARGET_HELP } from '../targets.ts';

interface Options {
  to?: string[];
  where?: string[];
  dryRun?: true;
}

const HELP = `
--to is for good: it also reaches screens that get the tag or come to the store later.
Named screens and --where are the screens of this moment, one by one, with a list of those that failed.`;

export function addDeployCommand(program: Command, open: OpenSession): void {
  withWhere(
    program
      .command('deploy <playlist> [devices...]')
      .description(`make a playlist what screens show while no schedule applies; screens ${DEVICES_HELP}`)
      .option('--to <target>', TARGET_HELP, collect),
  )
    .option(
      '--dry-run',
      'only say which screens cannot play it; with --to also which would show something else, when',
    )
    .addHelpText('after', HELP)
    .action(async (text: string, names: string[], options: Options) => {
      const { to, where, dryRun } = options;
      const session = await open();
      if (to === undefined) {
        return deployToEach(session, text, names, options);
      }
      if (names.length > 0 || where !== undefined) {
        throw new UsageError('Use --to, or screens, or --where: one of them.');
      }
      await deployToTargets(session, text, to, dryRun);
    });
}

async function deployToTargets(
  { placard, out, signal }: Session,
  playlist: string,
  to: readonly string[],
  dryRun: true | undefined,
): Promise<void> {
  const id = await findPlaylist(placard, playlist);
  const targets = await Promise.all(to.map((each) => parseTarget(placard, each)));
  const deployment = await placard.playlists.deploy(id, { targets }, { ...tryOnly(dryRun), signal });
  noteWarnings(out, deployment.warnings);
  if (deployment.dry_run) {
    return printDryRun(out, deployment.dry_run, deployment);
  }
  out.done(`Deployed to ${deployment.device_count} screens.`, deployment);
}

async function deployToEach(
  session: Session,
  playlist: string,
  names: readonly string[],
  { where, dryRun }: Options,
): Promise<void> {
  if (names.length === 0 && where === undefined) {
    throw new UsageError('To which screens? Name them, or use --to or --where.');
  }
  const { placard, out, signal } = session;
  const id = await findPlaylist(placard, playlist);
  const request: Body<'createOperation'> = {
    devices: await selectDevices(session, names, where),
    action: { type: 'deploy', playlist_id: id },
  };
  if (dryRun) {
    const tried = await placard.operations.create(request, { ...tryOnly(dryRun), signal });
    noteWarnings(out, tried.warnings);
    return out.done('Nothing was changed.', tried);
  }
  const operation = await runOperation(session, request);
  out.done(`Deployed to ${operation.succeeded} screens.`, operation);
  await requireSuccess(session, [operation]);
}
