/**
 * `npm start`: the whole of Placard on this machine. Starts a cloud and a player, fills the cloud with the sample
 * media through its public API, pairs the player as a technician would, and says what is on the screen.
 * A second start goes on with the same data.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { cloudApi } from './start/cloud-api.ts';
import { keptAdminKey } from './start/kept-admin-key.ts';
import { seedSamples } from './start/seed-samples.ts';

const STOP_WITHIN_MS = 4_500;

const options = new Command('npm start --')
  .description('Run a cloud and a player on this machine, with sample media.')
  .addOption(new Option('--port <number>', 'port of the cloud').default('8787').env('PLACARD_PORT'))
  .addOption(new Option('--data <folder>', 'where both keep their data').default('.placard'))
  .addOption(
    new Option('--shell <name>', 'what shows the picture')
      .choices(['auto', 'electron', 'chromium', 'headless'])
      .default('auto')
      .env('PLACARD_SHELL'),
  )
  .addOption(
    new Option(
      '--snapshot <file>',
      'picture of the screen, renewed every 2 s (default: screen.png in the data folder)',
    ),
  )
  .parse()
  .opts<{ port: string; data: string; shell: string; snapshot?: string }>();

const root = resolve(import.meta.dirname, '..');
const data = resolve(options.data);
const playerData = join(data, 'player');
const snapshot = resolve(options.snapshot ?? join(data, 'screen.png'));
const url = `http://127.0.0.1:${options.port}`;
const children: { name: string; process: ChildProcess }[] = [];
let stopping = false;

function run(name: string, args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lastWords: string[] = [];
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords.push(...text.split('\n').filter((line) => line.trim() !== ''));
    lastWords.splice(0, lastWords.length - 5);
  });
  child.once('exit', (code, signal) => {
    if (stopping) return;
    console.error(`\nThe ${name} ended (${signal ?? `exit code ${code}`}).`);
    for (const line of lastWords) console.error(`  ${line}`);
    void stop(1);
  });
  children.push({ name, process: child });
  return child;
}

async function stop(exitCode: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  const running = children.filter(
    ({ process: child }) => child.exitCode === null && child.signalCode === null,
  );
  const ended = Promise.all(
    running.map(async ({ process: child }) => {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    }),
  );
  await Promise.race([ended, sleep(STOP_WITHIN_MS)]);
  for (const { process: child } of running)
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  process.exit(exitCode);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));

interface Status {
  state: string;
  code: string | null;
  device_id: string | null;
  server: string;
  now_playing: { playlist_id: string; content_id: string; since: string } | null;
  playing_because: { source: string; schedule_id: string | null } | null;
}

/** Yields the player's `status.json` each time it changes. */
async function* statuses(): AsyncGenerator<Status> {
  let last = '';
  const file = join(playerData, 'status.json');
  let wake = () => {};
  await mkdir(playerData, { recursive: true });
  watch(playerData, () => wake());
  while (!stopping) {
    const changed = new Promise<void>((done) => (wake = done));
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text !== '' && text !== last) {
      last = text;
      // The file of an earlier start stays until the player writes its own.
      const status = JSON.parse(text) as Status & { pid?: number };
      if (status.server.startsWith(url)) yield status;
    }
    await Promise.race([changed, sleep(500)]);
  }
}

async function main(): Promise<void> {
  const adminKey = await keptAdminKey(join(data, 'start.json'));
  run('cloud', ['packages/cloud/src/main.ts', '--port', options.port, '--data', join(data, 'cloud')], {
    PLACARD_ADMIN_KEY: adminKey,
  });
  const api = cloudApi(url, adminKey);
  await api.ready();
  console.log(`API        ${url}/v1`);
  console.log(`Docs       ${url}/docs`);
  console.log(`Admin key  ${adminKey}`);
  const names = await seedSamples(api, join(root, 'test/media'));
  run(
    'player',
    [
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
    {},
  );
  console.log(`Picture    ${relative(process.cwd(), snapshot)} (what the screen shows, renewed every 2 s)`);

  let paired = '';
  let shown = '';
  for await (const status of statuses()) {
    if (status.state === 'pairing' && status.code && status.code !== paired) {
      paired = status.code;
      console.log(`Pairing    code ${status.code}`);
      await api.post('/v1/devices/pair', {
        code: status.code,
        name: 'Screen on this machine',
        tags: ['demo'],
      });
    }
    const now = status.now_playing;
    if (now && now.since !== shown) {
      shown = now.since;
      const playlist = names.playlists.get(now.playlist_id) ?? now.playlist_id;
      const content = names.contents.get(now.content_id) ?? now.content_id;
      console.log(`On screen  ${basename(content)}  ·  playlist “${playlist}”`);
    }
  }
}

await main().catch((error: unknown) => {
  if (stopping) return;
  console.error(error instanceof Error ? error.message : error);
  void stop(1);
});
