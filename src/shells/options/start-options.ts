import { join } from 'node:path';
import type { RuntimeConfig } from '../../runtime/shell-messages.ts';
import { importProvisioning } from '../provisioning/import-file.ts';
import { PROVISIONING_FILE } from '../provisioning/locations.ts';
import { fingerprintProvisioningFiles } from '../provisioning/watch-provisioning-files.ts';
import { prepareDataFolder } from './data-folder.ts';
import { readPlayerOptions } from './player-options.ts';
import type { OptionsEnvironment, OptionsResult, PlayerOptions } from './player-options.ts';

/** What was done with the `placard.json` that was found, for the operator. */
export interface ProvisioningReport {
  event: 'provisioning.imported' | 'provisioning.import_failed';
  message: string;
}

/** The settings of a start, what was imported if anything, and the fingerprints of all `placard.json` found. */
export type StartOptionsResult =
  | (Extract<OptionsResult, { kind: 'run' }> & {
      provisioning: ProvisioningReport | null;
      initialFingerprints: ReadonlySet<string>;
    })
  | Extract<OptionsResult, { kind: 'help' }>;

/**
 * Reads the settings, creates the data folder, and imports a technician's `placard.json`. Throws a `StartupError`
 * when the player cannot start.
 */
export async function loadStartOptions(
  argv: readonly string[],
  deps: OptionsEnvironment & { root?: string },
): Promise<StartOptionsResult> {
  const result = readPlayerOptions(argv, deps);
  if (result.kind === 'help') {
    return result;
  }
  const { dataDir } = result.options;
  prepareDataFolder(dataDir);
  const initialFingerprints = fingerprintProvisioningFiles({ ...deps, dataDir });
  const provisioning = await importProvisioningFile({ ...deps, dataDir });
  const reloaded = provisioning?.event === 'provisioning.imported' ? readPlayerOptions(argv, deps) : result;
  return reloaded.kind === 'run' ? { ...reloaded, provisioning, initialFingerprints } : reloaded;
}

async function importProvisioningFile(
  deps: Parameters<typeof importProvisioning>[0],
): Promise<ProvisioningReport | null> {
  const result = await importProvisioning(deps).catch(
    (error: unknown) => ({ kind: 'refused', path: PROVISIONING_FILE, why: String(error) }) as const,
  );
  switch (result.kind) {
    case 'none':
      return null;
    case 'refused':
      return {
        event: 'provisioning.import_failed',
        message: `${result.path} was not imported: ${result.why}.`,
      };
    case 'imported': {
      const warning = result.wiped ? '' : ' Its secrets could not be erased: delete them by hand.';
      return {
        event: 'provisioning.imported',
        message: `${result.path} was imported (${result.settings.join(', ')}).${warning}`,
      };
    }
  }
  return result satisfies never;
}

/** The settings that the runtime needs. */
export function toRuntimeConfig(
  options: PlayerOptions,
  { rendererDir, shell }: Pick<RuntimeConfig, 'rendererDir' | 'shell'>,
): RuntimeConfig {
  const { server, dataDir, orientation, menuPinHash, cacheLimits } = options;
  return {
    server,
    dataDir,
    rendererDir,
    shell,
    ...cacheLimits,
    orientation: orientation ?? undefined,
    menuPinHash: menuPinHash ?? undefined,
  };
}

/** Environment of the runtime: the file of its log, proxy and CA certificates. */
export function toRuntimeEnv({ dataDir, proxy, caFile }: PlayerOptions): Record<string, string> {
  return {
    PLACARD_LOG_FILE: join(dataDir, 'logs', 'runtime.log'),
    // The lower-case names win over the upper-case ones.
    ...(proxy === null ? {} : { http_proxy: proxy, https_proxy: proxy }),
    ...(caFile === null ? {} : { PLACARD_CA_FILE: caFile }),
  };
}
