/**
 * `npm start`: a cloud and a player on this machine. Starts both, fills the cloud with the sample media through its
 * public API, pairs the player as a technician would, and prints what is on the screen.
 * A second start continues with the same data.
 */
import { join, relative, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { errorMessage } from '../src/core/error-details.ts';
import { EXIT_RESTART } from '../src/shells/supervision/exit-codes.ts';
import { REPOSITORY } from './repository.ts';
import { createChildProcesses } from './start/child-processes.ts';
import type { ProgramExit } from './start/child-processes.ts';
import { createCloudApi } from './start/cloud-api.ts';
import type { CloudApi } from './start/cloud-api.ts';
import { loadOrCreateAdminKey } from './start/admin-key-file.ts';
import { DEMO_ADMIN, ensureDemoAdmin } from './start/demo-admin.ts';
import { watchPlayerStatus } from './start/watch-player-status.ts';
import { seedSamples } from './start/seed-samples.ts';

// An empty variable counts as unset, as in the player.
for (const name of ['PLACARD_PORT', 'PLACARD_SHELL']) {
  if (process.env[name] === '') {
    delete process.env[name];
  }
}

// They may be those of another cloud.
for (const name of ['PLACARD_DATABASE', 'PLACARD_BLOBS', 'PLACARD_HOST', 'PLACARD_PUBLIC_URL']) {
  delete process.env[name];
}

const command = new Command('npm start --')
  .description('Run a cloud and a player on this machine, with sample media.')
  .showHelpAfterError('Use --help to see the options.')
  .allowExcessArguments(false)
  .addOption(
    new Option('--port <number>', 'port of the cloud')
      .default('8787')
      .env('PLACARD_PORT')
      .argParser(portNumber),
  )
  .addOption(new Option('--data <folder>', 'data folder of both').default('.placard'))
  .addOption(
    new Option('--shell <name>', 'program that shows the page')
      .choices(['auto', 'electron', 'chromium', 'headless'])
      .default('auto')
      .env('PLACARD_SHELL'),
  )
  .option(
    '--snapshot <file>',
    'screenshot of the screen, updated every 2 s (default: screen.png in the data folder)',
  )
  .parse();
const options = command.opts<{ port: string; data: string; shell: string; snapshot?: string }>();

const data = resolve(options.data);
const cloudData = join(data, 'cloud');
const playerData = join(data, 'player');
const snapshot = resolve(options.snapshot ?? join(data, 'screen.png'));
const url = `http://127.0.0.1:${options.port}`;

const CLOUD = 'packages/cloud/dist/program/main.js';
const PLAYER_RESTART_DELAY_MS = 1_000;

const children = createChildProcesses({ cwd: REPOSITORY });
let shutdown: Promise<void> | null = null;

function shutDown(exitCode: number): void {
  shutdown ??= children.stop().then(() => process.exit(exitCode));
}

function fail(reason: unknown): void {
  if (shutdown) {
    return;
  }
  console.error(`\n${errorMessage(reason)}`);
  shutDown(1);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => shutDown(0));
}

function portNumber(text: string): string {
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 65_535) {
    throw new InvalidArgumentError('Give a number from 1 to 65535.');
  }
  return text;
}

const SIGN_IN_LINK = ['users', 'sign-in-link', DEMO_ADMIN.email, '--public-url', url];

const describeExit = ({ code, signal }: ProgramExit) => signal ?? `exit code ${code}`;

/** Resolves when the cloud listens. When it ends later, only a message is printed: playback continues without a cloud. */
function startCloud(adminKey: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let listening = false;
    children.start({
      args: [CLOUD, '--port', options.port, '--data', cloudData],
      env: { PLACARD_ADMIN_KEY: adminKey },
      onLine(line) {
        if (line.startsWith('API ')) {
          listening = true;
          resolve();
        }
      },
      onExit(exit) {
        if (!listening) {
          return reject(new Error(`The cloud did not start.\n${exit.stderrTail}`));
        }
        console.error(
          `The cloud ended (${describeExit(exit)}). Playback continues. To start the cloud again: npm run cloud -- --port ${options.port} --data ${relative(process.cwd(), cloudData)}`,
        );
      },
    });
  });
}

/** Makes a link that signs in as the Admin of the demo. */
function createSignInLink(): Promise<string> {
  return new Promise((resolve, reject) => {
    let link = '';
    children.start({
      args: [CLOUD, ...SIGN_IN_LINK, '--data', cloudData],
      onLine: (line) => (link = line),
      onExit: ({ code, stderrTail }) =>
        code === 0 ? resolve(link) : reject(new Error(`The cloud made no sign-in link.\n${stderrTail}`)),
    });
  });
}

/** Prints where people sign in: with a link where that is possible. */
async function printConsole(api: CloudApi): Promise<void> {
  if (!(await ensureDemoAdmin(api))) {
    console.log(`Console    ${url}/`);
    return;
  }
  console.log(`Console    ${await createSignInLink()}`);
  console.log(`           signs in with one click, once, within 15 minutes; from then on ${url}/`);
  console.log(
    `           another link: npm run cloud -- ${SIGN_IN_LINK.join(' ')} --data ${relative(process.cwd(), cloudData)}`,
  );
}

/** Starts the player, and restarts it when it asks for that or was killed, as a service manager would. */
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
    // A REBOOT sent to the demo must not reboot the developer's machine.
    env: { PLACARD_DRY_RUN: '1', PLACARD_RESTARTS: '1' },
    onLine(line) {
      if (line.startsWith('Shell: ')) {
        console.log(`Shell      ${line.slice('Shell: '.length)}`);
      }
    },
    onExit(exit) {
      if (exit.code !== EXIT_RESTART && exit.signal === null) {
        return fail(`The player ended (${describeExit(exit)}).\n${exit.stderrTail}`);
      }
      console.error(`The player ended (${describeExit(exit)}) and is restarted.`);
      setTimeout(startPlayer, PLAYER_RESTART_DELAY_MS);
    },
  });
}

async function main(): Promise<void> {
  const adminKey = await loadOrCreateAdminKey(join(data, 'start.json'));
  await startCloud(adminKey);
  const api = createCloudApi(url, adminKey);
  await printConsole(api);
  console.log(`API        ${url}/v1`);
  console.log(`Docs       ${url}/docs`);
  console.log(`Admin key  ${adminKey}`);

  const statuses = await watchPlayerStatus(playerData);
  const sampleNames = await seedSamples(api, join(REPOSITORY, 'test/media'));
  startPlayer();
  console.log(`Picture    ${relative(process.cwd(), snapshot)} (screenshot, updated every 2 s)`);

  let code: string | null = null;
  let since = '';
  for await (const status of statuses) {
    if (status.state === 'pairing' && status.code && status.code !== code) {
      code = status.code;
      console.log(`Pairing    code ${code}`);
      const screen = { code, name: 'Screen on this machine', tags: ['demo'] };
      await api
        .post(z.object({ id: z.string() }), '/v1/devices/pair', screen)
        .catch((error: unknown) => console.error(`Not paired: ${errorMessage(error)}`));
    }
    const now = status.now_playing;
    if (now && now.since !== since) {
      since = now.since;
      const content = sampleNames.contents.get(now.content_id) ?? now.content_id;
      const playlist = sampleNames.playlists.get(now.playlist_id) ?? now.playlist_id;
      console.log(`On screen  ${content}, from “${playlist}”`);
    }
  }
}

await main().catch(fail);
