/**
 * `npm start`: the whole of Placard on this machine. Starts a cloud and a player, fills the cloud with the sample
 * media through its public API, pairs the player as a technician would, and says what is on the screen.
 * A second start goes on with the same data.
 */
import { join, relative, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { createChildren, type End } from './start/children.ts';
import { cloudApi } from './start/cloud-api.ts';
import { keptAdminKey } from './start/kept-admin-key.ts';
import { playerStatuses } from './start/player-statuses.ts';
import { seedSamples } from './start/seed-samples.ts';

// An empty variable is none, as for the player.
for (const name of ['PLACARD_PORT', 'PLACARD_SHELL']) if (process.env[name] === '') delete process.env[name];

const command = new Command('npm start --')
  .description('Run a cloud and a player on this machine, with sample media.')
  .showHelpAfterError('Use --help to see what can be set.')
  .allowExcessArguments(false)
  .addOption(
    new Option('--port <number>', 'port of the cloud')
      .default('8787')
      .env('PLACARD_PORT')
      .argParser(portNumber),
  )
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

/** The player asks to be started again with this exit code (`EX_TEMPFAIL`). */
const EXIT_RESTART = 75;
const PLAYER_PAUSE_MS = 1_000;

const children = createChildren({ cwd: root });
let ending: Promise<void> | null = null;

function end(exitCode: number): void {
  ending ??= children.stop().then(() => process.exit(exitCode));
}

function fail(reason: unknown): void {
  if (ending) return;
  console.error(`\n${sentence(reason)}`);
  end(1);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0));

function portNumber(text: string): string {
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 65_535)
    throw new InvalidArgumentError('Give a number from 1 to 65535.');
  return text;
}

const sentence = (reason: unknown) => (reason instanceof Error ? reason.message : String(reason));
const how = ({ code, signal }: End) => signal ?? `exit code ${code}`;

/** Resolves when it listens. If it ends later, the screen plays on: that is what a player is for. */
function startCloud(adminKey: string): Promise<void> {
  const cloudData = join(data, 'cloud');
  return new Promise((resolve, reject) => {
    let listening = false;
    children.start({
      args: ['packages/cloud/src/main.ts', '--port', options.port, '--data', cloudData],
      env: { PLACARD_ADMIN_KEY: adminKey },
      onLine(line) {
        if (!line.startsWith('API ')) return;
        listening = true;
        resolve();
      },
      onEnded(ended) {
        if (!listening) return reject(new Error(`The cloud did not start.\n${ended.lastWords}`));
        console.error(
          `The cloud ended (${how(ended)}). The screen plays on. To start the cloud again: npm run cloud -- --port ${options.port} --data ${relative(process.cwd(), cloudData)}`,
        );
      },
    });
  });
}

/** Starts it anew when it asks for that or was killed, as the service manager of a real screen does. */
function startPlayer(): void {
  children.start({
    args: [
      'src/shells/main.ts',
      '--server',
      url,
      '--data',
      playerData,
      '--shell',
      options.shell,
      '--snapshot',
      snapshot,
    ],
    // A REBOOT sent to the demo must not reboot the machine that somebody works on.
    env: { PLACARD_DRY_RUN: '1', PLACARD_RESTARTS: '1' },
    onLine(line) {
      if (line.startsWith('Shell: ')) console.log(`Shell      ${line.slice('Shell: '.length)}`);
    },
    onEnded(ended) {
      if (ended.code !== EXIT_RESTART && ended.signal === null)
        return fail(`The player ended (${how(ended)}).\n${ended.lastWords}`);
      console.error(`The player ended (${how(ended)}) and is started again.`);
      setTimeout(startPlayer, PLAYER_PAUSE_MS);
    },
  });
}

async function main(): Promise<void> {
  const adminKey = await keptAdminKey(join(data, 'start.json'));
  await startCloud(adminKey);
  const api = cloudApi(url, adminKey);
  console.log(`API        ${url}/v1`);
  console.log(`Docs       ${url}/docs`);
  console.log(`Admin key  ${adminKey}`);

  const statuses = await playerStatuses(playerData);
  const named = await seedSamples(api, join(root, 'test/media'));
  startPlayer();
  console.log(`Picture    ${relative(process.cwd(), snapshot)} (what the screen shows, renewed every 2 s)`);

  let code: string | null = null;
  let since = '';
  for await (const status of statuses) {
    if (status.state === 'pairing' && status.code && status.code !== code) {
      code = status.code;
      console.log(`Pairing    code ${code}`);
      const screen = { code, name: 'Screen on this machine', tags: ['demo'] };
      await api
        .post(z.object({ id: z.string() }), '/v1/devices/pair', screen)
        .catch((error: unknown) => console.error(`Not paired: ${sentence(error)}`));
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
