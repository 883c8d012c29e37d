import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { UsageError } from '../output/failure.ts';
import type { OpenSession } from '../session.ts';

const PAGES: Readonly<Record<string, string>> = {
  console: '/',
  pair: '/pair',
  docs: '/docs',
  openapi: '/openapi.json',
};
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  // `start` is part of the shell.
  win32: ['cmd', '/c', 'start', ''],
};

export function addOpenCommand(program: Command, open: OpenSession): void {
  program
    .command('open [page]')
    .description(`open a page of the cloud in the browser: ${Object.keys(PAGES).join(', ')}`)
    .option('--print', 'only print its address')
    .action(async (page = 'console', { print }: { print?: true }) => {
      const { server, out } = await open();
      const path = PAGES[page];
      if (path === undefined) {
        throw new UsageError(`There is no page "${page}": ${Object.keys(PAGES).join(', ')}.`);
      }
      const url = `${server.replace(/\/+$/, '')}${path}`;
      if (!print && process.stdout.isTTY) {
        const [name = 'xdg-open', ...args] = PROGRAMS[process.platform] ?? [];
        // Without a browser the address is still printed.
        spawn(name, [...args, url], { detached: true, stdio: 'ignore' })
          .on('error', () => {})
          .unref();
      }
      out.done(url, { url });
    });
}
