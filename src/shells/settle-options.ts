import type { RuntimeConfig } from '../runtime/shell-link.ts';
import { prepareDataFolder } from './data-folder.ts';
import { readPlayerOptions, type OptionsAnswer, type PlayerOptions } from './player-options.ts';
import { importProvisioning } from './provisioning/import-file.ts';
import { filePrints } from './provisioning/watch-files.ts';

const EXIT_CANNOT_START = 2;

/**
 * The settings of a start, with a sentence about a `placard.json` that was found, if one was, and the prints of all
 * that were there.
 */
export type SettledAnswer =
  | (Extract<OptionsAnswer, { kind: 'run' }> & { note: string | null; filesAtStart: ReadonlySet<string> })
  | Extract<OptionsAnswer, { kind: 'print' }>;

/** Reads the settings, makes the data folder, and takes over what a technician has brought along. */
export async function settleOptions(
  argv: readonly string[],
  deps: { env: Readonly<Record<string, string | undefined>>; platform: string; root?: string },
): Promise<SettledAnswer> {
  const answer = readPlayerOptions(argv, deps);
  if (answer.kind === 'print') return answer;
  const { dataDir } = answer.options;
  const problem = prepareDataFolder(dataDir);
  if (problem !== null) return { kind: 'print', text: problem, exitCode: EXIT_CANNOT_START };
  const filesAtStart = filePrints({ ...deps, dataDir });
  const found = await importProvisioning({ ...deps, dataDir }).catch(
    (error: unknown) => ({ kind: 'refused', path: 'placard.json', why: String(error) }) as const,
  );
  switch (found.kind) {
    case 'none':
      return { ...answer, note: null, filesAtStart };
    case 'refused':
      return { ...answer, note: `${found.path} was not imported: ${found.why}.`, filesAtStart };
    case 'imported': {
      const secrets = found.wiped ? '' : ' Its secrets could not be taken out of it: do that by hand.';
      const note = `${found.path} was imported (${found.settings.join(', ')}).${secrets}`;
      const again = readPlayerOptions(argv, deps);
      return again.kind === 'run' ? { ...again, note, filesAtStart } : again;
    }
  }
  return found satisfies never;
}

/** What the runtime is told of the settings. */
export function runtimeConfigOf(
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

/** What the runtime reads from its environment: the way to the cloud, and whom to trust there. */
export function runtimeEnvOf({ proxy, caFile }: PlayerOptions): Record<string, string> {
  return {
    // The names in lower case win over those in upper case.
    ...(proxy === null ? {} : { http_proxy: proxy, https_proxy: proxy }),
    ...(caFile === null ? {} : { PLACARD_CA_FILE: caFile }),
  };
}
