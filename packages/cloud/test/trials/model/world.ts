import type { ErrorCode, Operation, Target } from '@placard/protocol/api';
import type { Arbitrary } from 'fast-check';
import type { z } from 'zod';
import { NOT_JSON } from '../support/api.ts';
import type { Api, Request } from '../support/api.ts';
import { must } from '../support/breach.ts';
import { objectOf } from '../support/json.ts';
import type { Spoil, TargetInput, Verdict } from './inputs.ts';
import { resolveRef } from './inputs.ts';
import type { Model } from './model.ts';

/** A cloud, and what it should be. */
export interface World {
  api: Api;
  model: Model;
  adminKey: string;
  /** Counts up, for things that must differ from run to run of one world. */
  next(): number;
  /** Instant of the cloud, milliseconds since 1970. */
  nowMs(): number;
  /** Answers by `operation status`, for the report. */
  tally: Map<string, number>;
}

export interface Expected {
  params?: Record<string, string>;
  query?: Request['query'];
  body?: unknown;
  key?: string;
  headers?: Record<string, string>;
  spoil?: Spoil;
  /** Verdict over the body as such. */
  verdict?: Verdict;
  /** Refusals of which one has to come, if there are any. */
  bad?: (ErrorCode | false)[];
  /** Refusals that may come as well. */
  maybe?: (ErrorCode | false)[];
}

/** Sends a request, and holds the answer against what the documents expect of it. Null when it was refused. */
export async function attempt<D extends z.ZodType>(
  world: World,
  op: Operation<z.ZodType, z.ZodType, z.ZodType, D>,
  expected: Expected,
): Promise<z.infer<D> | null> {
  const { spoil = null, verdict = 'good' } = expected;
  const bad = (expected.bad ?? []).filter((code) => code !== false);
  const maybe = (expected.maybe ?? []).filter((code) => code !== false);
  if (verdict === 'bad' || (spoil !== null && spoil !== 'not json')) bad.push('VALIDATION_ERROR');
  if (verdict === 'either') maybe.push('VALIDATION_ERROR');
  if (spoil === 'not json') bad.push('MALFORMED_JSON');
  const request: Request = {
    params: expected.params,
    query: expected.query,
    key: expected.key,
    headers: expected.headers,
    body: spoilt(expected.body, spoil),
  };
  const again = op.method === 'POST' && op.access !== 'Device' && world.next() % 6 === 0;
  if (again) request.headers = { ...request.headers, 'idempotency-key': `again ${world.next()}` };
  const answer = await world.api.call(op, request);
  if (again && answer.code === null) {
    const second = await world.api.call(op, request);
    must(second.text === answer.text, 'the same request with the same Idempotency-Key got another answer', {
      request,
      first: answer.text,
      second: second.text,
    });
  }
  const seen = `${op.id} ${answer.code ?? answer.status}`;
  world.tally.set(seen, (world.tally.get(seen) ?? 0) + 1);
  const facts = { op: op.id, request, came: answer.text };
  if (answer.code !== null)
    must(
      [...bad, ...maybe].includes(answer.code),
      `refused with ${answer.code}, expected ${bad.length > 0 ? bad.join(' or ') : 'success'}`,
      facts,
    );
  else must(bad.length === 0, `accepted, expected ${bad.join(' or ')}`, facts);
  return answer.data;
}

function spoilt(body: unknown, spoil: Spoil): unknown {
  switch (spoil) {
    case null:
      return body;
    case 'unknown field':
      return { ...objectOf(body), colour: 'red' };
    case 'array':
      return [body];
    case 'number':
      return 17;
    case 'null':
      return null;
    case 'not json':
      return NOT_JSON;
    default:
      return spoil satisfies never;
  }
}

/** Targets with their ids filled in, and the refusals that they deserve. */
export function resolveTargets(
  world: World,
  inputs: readonly TargetInput[],
): { targets: Target[]; bad: (ErrorCode | false)[] } {
  const bad: (ErrorCode | false)[] = [];
  const targets = inputs.map((input): Target => {
    if (input.type === 'tag') return { type: 'tag', value: input.value };
    const { id, live } = resolveRef(world.model, input.ref);
    if (!live) bad.push(input.type === 'device' ? 'DEVICE_NOT_FOUND' : 'STORE_NOT_FOUND');
    return { type: input.type, id };
  });
  return { targets, bad };
}

/** One kind of thing that can happen. */
export interface Step<T = unknown> {
  name: string;
  input: Arbitrary<T>;
  run(world: World, input: T): Promise<void>;
}

// A move carries the name of its step and an input that the same step made.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-assertion
export const step = <T>(definition: Step<T>): Step => definition as Step;
