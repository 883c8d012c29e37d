import { existsSync } from 'node:fs';
import { ORIENTATIONS } from '@placard/protocol';
import { z } from 'zod';
import { httpUrl, serverUrl } from '../provisioning/url-settings.ts';
import { byteAmount } from './byte-amount.ts';

const SHELL_CHOICES = ['auto', 'electron', 'chromium', 'headless'] as const;
export type ShellChoice = (typeof SHELL_CHOICES)[number];

const oneOf = <const T extends readonly string[]>(choices: T) =>
  z.enum(choices, { error: `must be one of ${choices.join(', ')}` });

/** The names of all settings, as in the configuration file, with the schemas of their values. */
export const settingsSchema = z.object({
  server: serverUrl,
  data: z.string().min(1, 'must name a folder'),
  shell: oneOf(SHELL_CHOICES),
  snapshot: z.string().min(1, 'must name a file').optional(),
  orientation: oneOf(ORIENTATIONS).optional(),
  proxy: httpUrl.optional(),
  caFile: z
    .string()
    .refine((path) => existsSync(path), { error: 'must name a file that exists' })
    .optional(),
  maxCache: byteAmount('bytes', 1_000_000).optional(),
  minFree: byteAmount('bytes', 0).optional(),
  maxDownloadRate: byteAmount('rate', 1_000).optional(),
});

export const SETTINGS = settingsSchema.keyof().options;
export type Setting = (typeof SETTINGS)[number];

interface SettingDefinition {
  flags: string;
  /** The environment variable. */
  env: string;
  description: string;
  defaultValue?: string;
}

/** Flag, environment variable and help of every setting. */
export const SETTING_DEFINITIONS: Readonly<Record<Setting, SettingDefinition>> = {
  server: {
    flags: '--server <url>',
    env: 'PLACARD_SERVER',
    description: 'address of the cloud',
    defaultValue: 'http://127.0.0.1:8787',
  },
  data: {
    flags: '--data <folder>',
    env: 'PLACARD_PLAYER_DATA',
    description: 'folder for identity, media and logs',
  },
  shell: {
    flags: '--shell <kind>',
    env: 'PLACARD_SHELL',
    description: `program that shows the picture: ${SHELL_CHOICES.join(', ')}`,
    defaultValue: 'auto',
  },
  snapshot: {
    flags: '--snapshot <file.png>',
    env: 'PLACARD_SNAPSHOT',
    description: 'write a screenshot to this file every 2 s',
  },
  orientation: {
    flags: '--orientation <name>',
    env: 'PLACARD_ORIENTATION',
    description: `orientation of the picture until the cloud sets it: ${ORIENTATIONS.join(', ')}`,
  },
  proxy: {
    flags: '--proxy <url>',
    env: 'PLACARD_PROXY',
    description: 'proxy to the cloud; if not given, HTTPS_PROXY, HTTP_PROXY and NO_PROXY are used',
  },
  caFile: {
    flags: '--ca-file <file.pem>',
    env: 'PLACARD_CA_FILE',
    description: 'CA certificates to trust in addition to those of the system',
  },
  maxCache: {
    flags: '--max-cache <size>',
    env: 'PLACARD_MAX_CACHE',
    description:
      'maximum size of the media cache, e.g. 20GB or 512MiB; if not given, limited only by --min-free',
  },
  minFree: {
    flags: '--min-free <size>',
    env: 'PLACARD_MIN_FREE',
    description: 'disk space that the media cache leaves free; if not given, 256MiB',
  },
  maxDownloadRate: {
    flags: '--max-download-rate <rate>',
    env: 'PLACARD_MAX_DOWNLOAD_RATE',
    description: 'limit for all downloads together, e.g. 2MB/s or 16Mbit/s; if not given, no limit',
  },
};
