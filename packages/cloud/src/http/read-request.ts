import type { Problem } from '@placard/protocol/api';
import type { z } from 'zod';
import { problemSentence } from '../domain/problem-sentence.ts';
import { invalid } from '../domain/refusal.ts';
import type { Route } from './call.ts';

interface Parts {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** Checks parameters, query and body together, so that every problem is named at once. */
export function readRequest({ operation, alsoWrong }: Omit<Route, 'handle'>, parts: Parts): Parts {
  const problems: Problem[] = [];
  const read = (schema: z.ZodType, value: unknown, more: Route['alsoWrong'] = () => []): unknown => {
    const result = schema.safeParse(value, { error: problemSentence });
    if (result.success) return result.data;
    const found = result.error.issues.flatMap((issue) => describe(issue));
    const named = new Set(found.map(({ path }) => path));
    // One by one: there may be more than a call takes arguments.
    for (const problem of found) problems.push(problem);
    for (const problem of more(value)) if (!named.has(problem.path)) problems.push(problem);
    return undefined;
  };
  const accepted = {
    params: read(operation.params, parts.params),
    query: read(operation.query, parts.query),
    // The form of an upload is read while it streams.
    body: operation.form
      ? undefined
      : read(operation.body, parts.body === undefined ? {} : parts.body, alsoWrong),
  };
  if (problems.length > 0) throw invalid(problems);
  return accepted;
}

function describe(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): Problem[] {
  const path = [...above, ...issue.path];
  const where = path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key].map(String).join('.'),
      message: 'is not a known field',
    }));
  return [{ path: where, message: issue.message }];
}
