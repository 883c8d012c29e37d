import { createClient } from '@placard/client';
import type { Command } from 'commander';
import { readSecret } from '../read-secret.ts';
import type { GlobalOptions, OpenSession } from '../session.ts';
import { findCloud, keyOfEnvironment } from '../session.ts';
import { deleteSettings, settingsPath, writeSettings } from '../settings.ts';
import { createOutput } from '../output/output.ts';

export function addLoginCommands(program: Command, open: OpenSession): void {
  program
    .command('login')
    .description(
      'check a key and keep it for the next commands; the key is read from the terminal or the standard input',
    )
    .action(async () => {
      const options = program.opts<GlobalOptions>();
      const { server } = await findCloud(options);
      const apiKey = keyOfEnvironment() ?? (await readSecret(`API key for ${server}: `));
      const organization = await createClient({ server, apiKey }).organization.get();
      await writeSettings({ server, apiKey });
      createOutput(options.json === true).done(
        `Logged in to ${organization.name} at ${server}. The key is in ${settingsPath()}, which only you can read.`,
        { server, organization: organization.name, settings: settingsPath() },
      );
    });
  program
    .command('logout')
    .description('forget the key of "placard login"')
    .action(async () => {
      await deleteSettings();
      createOutput(program.opts<GlobalOptions>().json === true).done('The key is forgotten.', {
        forgotten: true,
      });
    });
  program
    .command('whoami')
    .description('the cloud and the organization that commands go to')
    .action(async () => {
      const { placard, server, out, signal } = await open();
      const { name, timezone } = await placard.organization.get({ signal });
      out.one({ server, organization: name, timezone });
    });
}
