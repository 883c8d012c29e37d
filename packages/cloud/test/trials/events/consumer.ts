/**
 * Follows the events of a cloud and appends each to a journal, one line per event: `node consumer.ts URL JOURNAL stream|list`, with
 * the key in `PLACARD_KEY`. It may be killed at any moment, and continues after the last whole line.
 */
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const [url = '', journal = '', mode = ''] = process.argv.slice(2);
const authorization = `Bearer ${process.env['PLACARD_KEY'] ?? ''}`;
const PART = 100;
const RETRY_MS = 50;

const event = z.object({
  id: z.string(),
  type: z.string(),
  resource: z.string(),
  data: z.record(z.string(), z.unknown()),
});
const part = z.object({
  data: z.array(event),
  meta: z.object({ next_cursor: z.string(), has_more: z.boolean() }),
});

/** The id of the last event in the journal; what was written of a further one is removed. */
function lastId(): string | undefined {
  if (!existsSync(journal)) {
    return undefined;
  }
  const text = readFileSync(journal, 'utf8');
  const end = text.lastIndexOf('\n') + 1;
  truncateSync(journal, Buffer.byteLength(text.slice(0, end)));
  return text.slice(0, end).trimEnd().split('\n').at(-1)?.split(' ')[0];
}

let cursor = lastId();

function take(found: z.infer<typeof event>): void {
  appendFileSync(journal, `${found.id} ${JSON.stringify(found)}\n`);
  cursor = found.id;
}

async function readStream(): Promise<void> {
  const start: Record<string, string> = cursor === undefined ? {} : { 'last-event-id': cursor };
  const query = cursor === undefined ? '?since=2000-01-01' : '';
  const response = await fetch(`${url}/v1/events${query}`, {
    headers: { authorization, accept: 'text/event-stream', ...start },
  });
  if (!response.ok || !response.body) {
    throw new Error(`status ${response.status}`);
  }
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data !== undefined) {
        take(event.parse(JSON.parse(data)));
      }
    }
  }
}

async function readList(): Promise<void> {
  const query = cursor === undefined ? '' : `&cursor=${cursor}`;
  const response = await fetch(`${url}/v1/events?limit=${PART}${query}`, { headers: { authorization } });
  if (!response.ok) {
    throw new Error(`status ${response.status}`);
  }
  const read = part.parse(await response.json());
  read.data.forEach(take);
  // Within 100 requests a minute.
  await sleep(read.meta.has_more ? 650 : 1_000);
}

for (;;) {
  await (mode === 'stream' ? readStream() : readList()).catch(() => {});
  await sleep(RETRY_MS);
}
