import type { Event } from '@placard/protocol/api';
import { onTestFinished } from 'vitest';

export interface StreamedEvent {
  id: string;
  /** The type. */
  event: string;
  data: Event;
}

export interface EventStream {
  status: number;
  headers: Headers;
  /** What was received so far. */
  events: StreamedEvent[];
  /** Comments and `retry` lines. */
  others: string[];
  /** Resolves when the cloud has ended the stream. */
  ended: Promise<void>;
  close: () => void;
}

/** Opens `GET /v1/events` as Server-Sent Events and reads until it ends, or the test. */
export async function openEventStream(
  url: string,
  {
    key,
    cookie,
    lastEventId,
    query = '',
  }: { key?: string; cookie?: string; lastEventId?: string; query?: string },
): Promise<EventStream> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(`${url}/v1/events${query}`, {
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(cookie === undefined ? {} : { cookie }),
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: abort.signal,
  });
  const events: StreamedEvent[] = [];
  const others: string[] = [];
  const read = async (): Promise<void> => {
    let rest = '';
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + text).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const fields = new Map(
          frame.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
        );
        if (fields.has('data')) {
          events.push({
            id: fields.get('id') ?? '',
            event: fields.get('event') ?? '',
            data: JSON.parse(fields.get('data') ?? ''),
          });
        } else {
          others.push(frame);
        }
      }
    }
  };
  const ended = response.headers.get('content-type')?.startsWith('text/event-stream')
    ? read().catch((error: unknown) => {
        if (!abort.signal.aborted) {
          throw error;
        }
      })
    : Promise.resolve();
  return {
    status: response.status,
    headers: response.headers,
    events,
    others,
    ended,
    close: () => abort.abort(),
  };
}
