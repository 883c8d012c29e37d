import { parseArgs } from 'node:util';

export const HELP = `npm run bench -- [row …] [options]
  --seconds N       duration of each measurement (4; of mix 600, of scale-mix 900)
  --scale N         part of the usual number of devices, files and bytes, 0.001–1 (1)
  --quick           to see that a row runs: half a second, a fiftieth, one round; its figures are worth nothing
  --rounds N        how often each measurement is repeated
  --screens N       screens of the row scale-mix (100,000)
  --transitions N   transitions of the rows gap (100) and soak (400)
  --json FILE       writes the figures
  --markdown FILE   writes the table as docs/performance.md has it`;

/** How much is measured. */
export interface Settings {
  /** Duration of a measurement in milliseconds. */
  ms: number;
  /** Duration of a measurement in milliseconds that usually takes so long. */
  msOf: (usual: number) => number;
  isQuick: boolean;
  /** How often a measurement is repeated, given how often usually. */
  rounds: (usual: number) => number;
  /** How many devices, files or bytes, given how many usually. */
  count: (usual: number) => number;
  screens: number | null;
  transitions: number | null;
}

export interface CommandLine {
  rows: string[];
  settings: Settings;
  jsonFile: string | null;
  markdownFile: string | null;
  isHelp: boolean;
}

const USUAL_SECONDS = 4;

function readNumber(name: string, text: string | undefined, least: number, most: number): number | null {
  if (text === undefined) {
    return null;
  }
  const value = Number(text);
  if (!(value >= least && value <= most)) {
    throw new RangeError(`--${name}: give a number from ${least} to ${most.toLocaleString('en')}.`);
  }
  return value;
}

export function readCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seconds: { type: 'string' },
      scale: { type: 'string' },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      screens: { type: 'string' },
      transitions: { type: 'string' },
      json: { type: 'string' },
      markdown: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const isQuick = values.quick;
  const seconds = readNumber('seconds', values.seconds, 0.1, 3_600) ?? (isQuick ? 0.5 : null);
  const scale = readNumber('scale', values.scale, 0.001, 1) ?? (isQuick ? 0.02 : 1);
  const rounds = readNumber('rounds', values.rounds, 1, 1_000) ?? (isQuick ? 1 : null);
  return {
    rows: positionals,
    settings: {
      ms: (seconds ?? USUAL_SECONDS) * 1000,
      msOf: (usual) => (seconds === null ? usual : seconds * 1000),
      isQuick,
      rounds: (usual) => rounds ?? usual,
      count: (usual) => Math.max(1, Math.round(usual * scale)),
      screens: readNumber('screens', values.screens, 1, 1_000_000),
      transitions: readNumber('transitions', values.transitions, 1, 1_000_000),
    },
    jsonFile: values.json ?? null,
    markdownFile: values.markdown ?? null,
    isHelp: values.help,
  };
}
