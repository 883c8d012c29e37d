import type { RuntimeConfig } from '../../runtime/shell-messages.ts';
import { prepareDataFolder } from './data-folder.ts';
import { readPlayerOptions } from './player-options.ts';
import type { OptionsResult, PlayerOptions } from './player-options.ts';
import { importProvisioning } from '../provisioning/import-file.ts';
import { fingerprintProvisioningFiles } from '../provisioning/watch-provisioning-files.ts';

const EXIT_CANNOT_START = 2;

/**
 * The settings of a start, with a sentence about the `placard.json` that was found, if any, and the fingerprints of
 * all that were found.
 */
export type StartOptionsResult =
  | (Extract<OptionsResult, { kind: 'run' }> & {
      provisioningMessage: string | null;
      initialFingerprints: ReadonlySet<string>;
    })
  | Extract<OptionsResult, { kind: 'print' }>;

/** Reads the settings, creates the data folder, and imports a technician's `placard.json`. */
export async function loadStartOptions(
  argv: readonly string[],
  deps: { env: Readonly<Record<string, string | undefined>>; platform: string; root?: string },
): Promise<StartOptionsResult> {
  const result = readPlayerOptions(argv, deps);
  if (result.kind === 'print') {
    return result;
  }
  const { dataDir } = result.options;
  const problem = prepareDataFolder(dataDir);
  if (problem !== null) {
    return { kind: 'print', text: problem, exitCode: EXIT_CANNOT_START };
  }
  const initialFingerprints = fingerprintProvisioningFiles({ ...deps, dataDir });
  const importResult = await importProvisioning({ ...deps, dataDir }).catch(
    (error: unknown) => ({ kind: 'refused', path: 'placard.json', why: String(error) }) as const,
  );
  switch (importResult.kind) {
    case 'none':
      return { ...result, provisioningMessage: null, initialFingerprints };
    case 'refused':
      return {
        ...result,
        provisioningMessage: `${importResult.path} was not imported: ${importResult.why}.`,
        initialFingerprints,
      };
    case 'imported': {
      const secretsWarning = importResult.wiped
        ? ''
        : ' Its secrets could not be erased: delete them by hand.';
      const provisioningMessage = `${importResult.path} was imported (${importResult.settings.join(', ')}).${secretsWarning}`;
      const reloaded = readPlayerOptions(argv, deps);
      return reloaded.kind === 'run' ? { ...reloaded, provisioningMessage, initialFingerprints } : reloaded;
    }
  }
  return importResult satisfies never;
}

/** The settings that the runtime needs. */
export function toRuntimeConfig(
  options: PlayerOptions,
  { rendererDir, shell }: Pick<RuntimeConfig, 'rendererDir' | 'shell'>,
): RuntimeConfig {
  const { server, dataDir, orientation, menuPinHash, limits } = options;
  return {
    server,
    dataDir,
    rendererDir,
    shell,
    ...limits,
    ...(orientation === null ? {} : { orientation }),
    ...(menuPinHash === null ? {} : { menuPinHash }),
  };
}

/** Environment of the runtime: proxy and CA certificates. */
export function toRuntimeEnv({ proxy, caFile }: PlayerOptions): Record<string, string> {
  return {
    // The lower-case names win over the upper-case ones.
    ...(proxy === null ? {} : { http_proxy: proxy, https_proxy: proxy }),
    ...(caFile === null ? {} : { PLACARD_CA_FILE: caFile }),
  };
}
