import { z } from 'zod';
import { short } from '../support/breach.ts';
import type { Call, Client } from '../support/client.ts';
import { messageOf } from '../support/json.ts';
import type { Records } from './records.ts';
import type { Stopwatch } from './stopwatch.ts';

/** What a steady client got; null when the connection ended without an answer. */
export interface Reply {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Of a success in JSON. */
  data: unknown;
  /** Of a refusal; empty otherwise. */
  code: string;
}

/** Sends requests of the steady side, and records what became of each. Never throws. */
export interface SteadyLine {
  ask(kind: string, call: Call): Promise<Reply | null>;
}

const success = z.object({ data: z.unknown() });
const failure = z.object({
  error: z.object({
    code: z.string(),
    details: z.object({ reason: z.string() }).optional().catch(undefined),
  }),
});

export function createSteadyLine(deps: { client: Client; records: Records; start: Stopwatch }): SteadyLine {
  const { client, records, start } = deps;
  return {
    async ask(kind, call) {
      const stop = start();
      try {
        const { status, headers, bytes } = await client.raw(call);
        const took = stop();
        if (status < 400) {
          records.note(kind, took);
          const isJson = headers['content-type']?.startsWith('application/json') ?? false;
          const data = isJson ? success.parse(JSON.parse(bytes.toString())).data : undefined;
          return { status, headers, data, code: '' };
        }
        const text = bytes.toString();
        const { error } = failure.parse(JSON.parse(text));
        const { code, details } = error;
        const reason = details?.reason ?? '';
        records.note(kind, took, { status, code, reason, text: short(text, 300) });
        return { status, headers, data: undefined, code };
      } catch (error) {
        records.note(kind, stop(), { status: 0, code: '', reason: '', text: messageOf(error) });
        return null;
      }
    },
  };
}
