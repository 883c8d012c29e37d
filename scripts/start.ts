/**
 * `npm start`: the whole of Placard on this machine. Starts a cloud and a player, fills the cloud with the sample
 * media through its public API, pairs the player as a technician would, and says what is on the screen.
 * A second start goes on with the same data.
 */
import { join, relative, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { createChildren } from './start/children.ts';
import { cloudApi } from './start/cloud-api.ts';
import { keptAdminKey } from './start/kept-admin-key.ts';
import { playerStatuses } from './start/player-statuses.ts';
import { seedSamples } from './start/seed-samples.ts';

const command = new Command('npm start --')
  .description('Run a cloud and a player on this machine, with sample media.')
  .addOption(new Option('--port <number>', 'port of the cloud').default('8787').env('PLACARD_PORT'))
  .addOption(new Option('--data <folder>', 'where both keep their data').default('.placard'))
  .addOption(
    new Option('--shell <name>', 'what shows the picture')
      .choices(['auto', 'electron', 'chromium', 'headless'])
      .default('auto')
      .env('PLACARD_SHELL'),
  )
  .option(
    '--snapshot <file>',
    'picture of the screen, renewed every 2 s (default: screen.png in the data folder)',
  )
  .parse();
const options = command.opts<{ port: string; data: string; shell: string; snapshot?: string }>();

const root = resolve(import.meta.dirname, '..');
const data = resolve(options.data);
const playerData = join(data, 'player');
const snapshot = resolve(options.snapshot ?? join(data, 'screen.png'));
const url = `http://127.0.0.1:${options.port}`;

const children = createChildren({ cwd: root, onEnded: (message) => fail(message) });
let ending: Promise<void> | null = null;

function end(exitCode: number): void {
  ending ??= children.stop().then(() => process.exit(exitCode));
}

function fail(reason: unknown): void {
  if (ending) return;
  console.error(`\n${reason instanceof Error ? reason.message : String(reason)}`);
  end(1);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));

async function main(): Promise<void> {
  const adminKey = await keptAdminKey(join(data, 'start.json'));
  children.start(
    'cloud',
    ['packages/cloud/src/main.ts', '--port', options.port, '--data', join(data, 'cloud')],
    {
      PLACARD_ADMIN_KEY: adminKey,
    },
  );
  const api = cloudApi(url, adminKey);
  await api.ready();
  console.log(`API        ${url}/v1`);
  console.log(`Docs       ${url}/docs`);
  console.log(`Admin key  ${adminKey}`);

  const statuses = await playerStatuses(playerData);
  const named = await seedSamples(api, join(root, 'test/media'));
  children.start('player', [
    'src/shells/main.ts',
    '--server',
    url,
    '--data',
    playerData,
    '--shell',
    options.shell,
    '--snapshot',
    snapshot,
  ]);
  console.log(`Picture    ${relative(process.cwd(), snapshot)} (what the screen shows, renewed every 2 s)`);

  let code: string | null = null;
  let since = '';
  for await (const status of statuses) {
    if (status.state === 'pairing' && status.code && status.code !== code) {
      code = status.code;
      console.log(`Pairing    code ${code}`);
      await api.post(z.object({ id: z.string() }), '/v1/devices/pair', {
        code,
        name: 'Screen on this machine',
        tags: ['demo'],
      });
    }
    const now = status.now_playing;
    if (now && now.since !== since) {
      since = now.since;
      const content = named.contents.get(now.content_id) ?? now.content_id;
      const playlist = named.playlists.get(now.playlist_id) ?? now.playlist_id;
      console.log(`On screen  ${content}, from “${playlist}”`);
    }
  }
}

await main().catch(fail);
