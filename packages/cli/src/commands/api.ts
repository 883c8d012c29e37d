import type { Command } from 'commander';
import { UsageError } from '../output/failure.ts';
import type { OpenSession } from '../session.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export function addApiCommand(program: Command, open: OpenSession): void {
  program
    .command('api <method> <path>')
    .description('send any request, such as: placard api GET "/v1/devices?status=offline"')
    .option('--data <json>', 'the body; "-" reads it from the standard input')
    .action(async (text: string, path: string, { data }: { data?: string }) => {
      const { placard, signal } = await open();
      const method = METHODS.find((each) => each === text.toUpperCase());
      if (!method || !path.startsWith('/')) {
        throw new UsageError(`A request is ${METHODS.join(', ')} and a path that begins with "/v1/".`);
      }
      const body = data === undefined ? undefined : parse(data === '-' ? await readInput() : data);
      const result = await placard.request(`${method} /${path.slice(1)}`, { body, signal });
      const shown =
        result.meta === undefined ? { data: result.data } : { data: result.data, meta: result.meta };
      process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('--data is not JSON.');
  }
}

async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
  }
  return text;
}
