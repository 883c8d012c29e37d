import type { Command } from 'commander';
import { printDryRun, tryOnly } from '../dry-run.ts';
import { findPlaylist } from '../find.ts';
import { UsageError } from '../output/failure.ts';
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
    .option('--dry-run', 'with --to: only say which screens would show something else, when and what')
    .addHelpText('after', HELP)
    .action(async (text: string, names: string[], { to, where, dryRun }: Options) => {
      const session = await open();
      if (to === undefined) {
        if (dryRun) {
          throw new UsageError('--dry-run is for --to.');
        }
        return deployToEach(session, text, names, where);
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
  for (const { message } of deployment.warnings) {
    out.note(`Warning: ${message}`);
  }
  if (deployment.dry_run) {
    return printDryRun(out, deployment.dry_run, deployment);
  }
  out.done(`Deployed to ${deployment.device_count} screens.`, deployment);
}

async function deployToEach(
  session: Session,
  playlist: string,
  names: readonly string[],
  where: readonly string[] | undefined,
): Promise<void> {
  if (names.length === 0 && where === undefined) {
    throw new UsageError('To which screens? Name them, or use --to or --where.');
  }
  const id = await findPlaylist(session.placard, playlist);
  const operation = await runOperation(session, {
    devices: await selectDevices(session, names, where),
    action: { type: 'deploy', playlist_id: id },
  });
  session.out.done(`Deployed to ${operation.succeeded} screens.`, operation);
  await requireSuccess(session, [operation]);
}
