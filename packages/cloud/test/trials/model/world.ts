import type { ErrorCode, Operation } from '@placard/protocol/api';
import type { Target } from '@placard/schedule';
import type { Arbitrary } from 'fast-check';
import type { z } from 'zod';
import { NOT_JSON } from '../support/api.ts';
import type { Api, OperationRequest } from '../support/api.ts';
import { assert } from '../support/contract-violation.ts';
import { asObject } from '../support/json.ts';
import type { PlayerSocket } from '../support/player-socket.ts';
import type { BodyCorruption, TargetInput, Validity } from './inputs.ts';
import { resolveRef } from './inputs.ts';
import type { Model } from './model.ts';

/** A cloud and its model. */
export interface World {
  api: Api;
  model: Model;
  adminKey: string;
  /** The socket of each device, by its id. */
  sockets: Map<string, PlayerSocket>;
  /** A counter for unique values. */
  next(): number;
  /** Time of the cloud, milliseconds since 1970. */
  nowMs(): number;
  /** Number of responses by `operation status`, for the report. */
  tally: Map<string, number>;
}

export interface ExpectedOutcome {
  params?: Record<string, string>;
  query?: OperationRequest['query'];
  body?: unknown;
  key?: string;
  headers?: Record<string, string>;
  corruption?: BodyCorruption;
  /** Validity of the body by itself. */
  validity?: Validity;
  /** If not empty, one of these errors must be returned. */
  expectedErrors?: (ErrorCode | false)[];
  /** Other errors that are allowed. */
  possibleErrors?: (ErrorCode | false)[];
}

/** Sends a request and compares the response with the documented behaviour. Null when it was rejected. */
export async function attempt<D extends z.ZodType>(
  world: World,
  op: Operation<z.ZodType, z.ZodType, z.ZodType, D>,
  expected: ExpectedOutcome,
): Promise<z.infer<D> | null> {
  const { corruption = null, validity = 'valid' } = expected;
  const expectedErrors = (expected.expectedErrors ?? []).filter((code) => code !== false);
  const possibleErrors = (expected.possibleErrors ?? []).filter((code) => code !== false);
  if (validity === 'invalid' || (corruption !== null && corruption !== 'not json')) {
    expectedErrors.push('VALIDATION_ERROR');
  }
  if (validity === 'unspecified') {
    possibleErrors.push('VALIDATION_ERROR');
  }
  if (corruption === 'not json') {
    expectedErrors.push('MALFORMED_JSON');
  }
  const request: OperationRequest = {
    params: expected.params,
    query: expected.query,
    key: expected.key,
    headers: expected.headers,
    body: corruptBody(expected.body, corruption),
  };
  const isRepeated = op.method === 'POST' && op.access !== 'Device' && world.next() % 6 === 0;
  if (isRepeated) {
    request.headers = { ...request.headers, 'idempotency-key': `again ${world.next()}` };
  }
  const response = await world.api.call(op, request);
  if (isRepeated && response.code === null) {
    const second = await world.api.call(op, request);
    assert(
      second.text === response.text,
      'the same request with the same Idempotency-Key got another response',
      {
        request,
        first: response.text,
        second: second.text,
      },
    );
  }
  const outcome = `${op.id} ${response.code ?? response.status}`;
  world.tally.set(outcome, (world.tally.get(outcome) ?? 0) + 1);
  const details = { op: op.id, request, received: response.text };
  if (response.code !== null) {
    assert(
      [...expectedErrors, ...possibleErrors].includes(response.code),
      `rejected with ${response.code}, expected ${expectedErrors.length > 0 ? expectedErrors.join(' or ') : 'success'}`,
      details,
    );
  } else {
    assert(expectedErrors.length === 0, `accepted, expected ${expectedErrors.join(' or ')}`, details);
  }
  return response.data;
}

function corruptBody(body: unknown, corruption: BodyCorruption): unknown {
  switch (corruption) {
    case null:
      return body;
    case 'unknown field':
      return { ...asObject(body), colour: 'red' };
    case 'array':
      return [body];
    case 'number':
      return 17;
    case 'null':
      return null;
    case 'not json':
      return NOT_JSON;
    default:
      return corruption satisfies never;
  }
}

/** Targets with resolved ids, and the errors expected for them. */
export function resolveTargets(
  world: World,
  inputs: readonly TargetInput[],
): { targets: Target[]; bad: (ErrorCode | false)[] } {
  const bad: (ErrorCode | false)[] = [];
  const targets = inputs.map((input): Target => {
    if (input.type === 'all') {
      return { type: 'all' };
    }
    if (input.type === 'tag') {
      return { type: 'tag', value: input.value };
    }
    const { id, live } = resolveRef(world.model, input.ref);
    if (!live) {
      bad.push(input.type === 'device' ? 'DEVICE_NOT_FOUND' : 'STORE_NOT_FOUND');
    }
    return { type: input.type, id };
  });
  return { targets, bad };
}

/** One kind of step. */
export interface Step<T = unknown> {
  name: string;
  input: Arbitrary<T>;
  run(world: World, input: T): Promise<void>;
}

// A planned step contains the name of its step and an input generated by the same step.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-assertion
export const step = <T>(definition: Step<T>): Step => definition as Step;
