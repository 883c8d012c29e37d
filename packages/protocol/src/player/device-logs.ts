import { z } from 'zod';
import { timestamp, wireId } from '../primitives.ts';

/** Of the compressed files. A player leaves out the oldest lines until they fit. */
export const MAX_LOGS_BYTES = 524_288;
/** Of all files together, before they are compressed. */
export const MAX_LOGS_TEXT_BYTES = 8 * 1_048_576;

/** One file of the logs of a player. */
export const logFile = z.object({
  name: z
    .string()
    .max(50)
    .regex(/^[a-z0-9][a-z0-9._-]*$/),
  text: z.string().max(MAX_LOGS_TEXT_BYTES),
});
export type LogFile = z.infer<typeof logFile>;

/** What `bundle` contains, as JSON: status and logs without secrets. */
export const logBundle = z.object({ files: z.array(logFile).min(1).max(10) });
export type LogBundle = z.infer<typeof logBundle>;

/** `POST /v1/player/logs`: what the command `LOGS` asked for. */
export const logsUpload = z.object({
  command_id: wireId,
  taken_at: timestamp,
  /** `LogBundle` as JSON, compressed by gzip to at most `MAX_LOGS_BYTES`, in Base64. */
  bundle: z.string().max(Math.ceil(MAX_LOGS_BYTES / 3) * 4),
});
export type LogsUpload = z.infer<typeof logsUpload>;
