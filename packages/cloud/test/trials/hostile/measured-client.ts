import { z } from 'zod';
import { truncate } from '../support/contract-violation.ts';
import type { HttpRequest, HttpClient } from '../support/http-client.ts';
import { errorMessage } from '../support/json.ts';
import type { RequestRecords } from './request-records.ts';
import type { Stopwatch } from './stopwatch.ts';

/** A response to a steady client. */
export interface Reply {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Data of a successful JSON response. */
  data: unknown;
  /** Error code; empty for a success. */
  code: string;
}

/** Sends requests of steady clients and records the results. Never throws; null when there was no response. */
export interface MeasuredClient {
  send(kind: string, call: HttpRequest): Promise<Reply | null>;
}

const success = z.object({ data: z.unknown() });
const failure = z.object({
  error: z.object({
    code: z.string(),
    details: z.object({ reason: z.string() }).optional().catch(undefined),
  }),
});

export function createMeasuredClient(deps: {
  client: HttpClient;
  records: RequestRecords;
  start: Stopwatch;
}): MeasuredClient {
  const { client, records, start } = deps;
  return {
    async send(kind, call) {
      const stop = start();
      try {
        const { status, headers, bytes } = await client.sendRaw(call);
        const timing = stop();
        if (status < 400) {
          records.add(kind, timing);
          const isJson = headers['content-type']?.startsWith('application/json') ?? false;
          const data = isJson ? success.parse(JSON.parse(bytes.toString())).data : undefined;
          return { status, headers, data, code: '' };
        }
        const text = bytes.toString();
        const { error } = failure.parse(JSON.parse(text));
        const { code, details } = error;
        const reason = details?.reason ?? '';
        records.add(kind, timing, { status, code, reason, text: truncate(text, 300) });
        return { status, headers, data: undefined, code };
      } catch (error) {
        records.add(kind, stop(), { status: 0, code: '', reason: '', text: errorMessage(error) });
        return null;
      }
    },
  };
}
