import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { findDevice } from '../find.ts';
import type { OpenSession } from '../session.ts';

interface Options {
  from?: string;
  to?: string;
  device?: string;
  output?: string;
}

export function addPlaysCommand(program: Command, open: OpenSession): void {
  program
    .command('plays')
    .description('export what was shown, as CSV')
    .option('--from <time>', 'from this time on')
    .option('--to <time>', 'until this time')
    .option('--device <name>', 'only on this screen')
    .option('--output <file>', 'into this file instead of the standard output')
    .action(async ({ from, to, device, output }: Options) => {
      const { placard, signal } = await open();
      const id = device === undefined ? undefined : await findDevice(placard, device);
      const response = await placard.analytics.exportPlays({ from, to, device_id: id }, { signal });
      if (!response.body) {
        throw new Error('The response of the cloud is empty.');
      }
      const target = output === undefined ? process.stdout : createWriteStream(output);
      await pipeline(Readable.fromWeb(response.body), target, { end: output !== undefined, signal });
    });
}
