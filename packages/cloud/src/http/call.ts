import type { Meta, Operation, Problem, Scope } from '@placard/protocol/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Paging } from '../store/paging.ts';
import type { Work } from '../store/store.ts';

/** Who calls: an API key, or a paired device, or nobody we know. */
export interface Caller {
  key: { id: string; name: string; scope: Scope } | null;
  deviceId: string | null;
}

/** What a handler answers with; the server puts the envelope around it. */
export type Answer<D> =
  | { data: D; meta?: Meta; status?: number; headers?: Record<string, string> }
  /** Data that is JSON text in UTF-8 already, in parts. */
  | { json: readonly Buffer[]; headers: Record<string, string> }
  /** 304 and the like. */
  | { bare: number; headers: Record<string, string> }
  | { stream: Readable; headers: Record<string, string> };

/** One request that was authenticated, limited and validated. */
export interface Call<O extends Operation> extends Caller {
  params: z.output<O['params']>;
  query: z.output<O['query']>;
  body: z.output<O['body']>;
  request: FastifyRequest;
  reply: FastifyReply;
  nowMs: number;
  /**
   * Runs the change in one transaction, together with remembering the answer when the request carries an
   * Idempotency-Key. `fingerprint` stands for a body that was streamed.
   */
  commit: (
    run: (work: Work) => Promise<Answer<z.input<O['data']>>>,
    fingerprint?: string,
  ) => Promise<Answer<z.input<O['data']>>>;
}

export type Handler<O extends Operation> = (call: Call<O>) => Promise<Answer<z.input<O['data']>>>;

/** An operation with what carries it out. */
export interface Route {
  operation: Operation;
  handle: Handler<Operation>;
  /** What its handler would refuse in a body that its schema refused, whatever that is: named together. */
  alsoWrong?: AlsoWrong | undefined;
}

type AlsoWrong = (body: unknown) => Problem[];

/** Ties a handler to an operation, checked against its schemas by the compiler. */
export function route<O extends Operation>(operation: O, handle: Handler<O>, alsoWrong?: AlsoWrong): Route {
  // The server hands each handler what its own schemas accepted.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-assertion
  return { operation, handle: handle as unknown as Handler<Operation>, alsoWrong };
}

/** The answer of a list. */
export function page<T>(rows: T[], total: number, paging: Paging): { data: T[]; meta: Meta } {
  return { data: rows, meta: { page: paging.page, limit: paging.limit, total } };
}
