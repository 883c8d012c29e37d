import { play as playSchema } from '@placard/protocol';
import { z } from 'zod';
import type { ReportedPlay } from '../database/plays.ts';
import { findPlayProblem } from '../domain/device-report.ts';
import { validationMessage } from '../domain/validation-message.ts';

/** An outcome of a newer player that this cloud does not know is stored as `interrupted`, with the outcome as the reason. */
const outcomeSchema = z.looseObject({ outcome: z.string().max(100) });

function replaceUnknownOutcome(value: unknown): unknown {
  const sent = outcomeSchema.safeParse(value).data;
  if (!sent || playSchema.shape.outcome.safeParse(sent.outcome).success) {
    return value;
  }
  return { ...sent, outcome: 'interrupted', reason: `outcome: ${sent.outcome}` };
}

/** Returns the play, or a validation message. */
export function parsePlay(value: unknown, nowMs: number): ReportedPlay | string {
  // Most are valid as they are; looking at the outcome first takes a third of the time.
  const asSent = playSchema.safeParse(value, { error: validationMessage });
  const parsed = asSent.success
    ? asSent
    : playSchema.safeParse(replaceUnknownOutcome(value), { error: validationMessage });
  if (!parsed.success) {
    return parsed.error.issues
      .map((issue) => `${issue.path.join('.') || 'play'}: ${issue.message}`)
      .join('; ');
  }
  const { started_at: startedAt, ended_at: endedAt } = parsed.data;
  const play = { ...parsed.data, started_at: Date.parse(startedAt), ended_at: Date.parse(endedAt) };
  return findPlayProblem(play, nowMs) ?? play;
}

/** The id of a play that is not valid, as far as it has one. */
export const readPlayId = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
    ? value.id.slice(0, 200)
    : null;
