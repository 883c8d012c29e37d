import { isForCustomers } from '@placard/protocol/api';
import type { Problem } from '@placard/protocol/api';
import type { z } from 'zod';
import { validationMessage } from '../domain/validation-message.ts';
import { validationError } from '../domain/api-error.ts';
import { pathsWithNul } from './json.ts';
import type { Route } from './operation-route.ts';

const ERROR_MESSAGES = { error: validationMessage };

interface RequestParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

/**
 * Validates parameters, query and body together, so that all problems are reported at once, with those of its headers that
 * were found before.
 */
export function parseRequest(
  { operation, findMoreProblems }: Omit<Route, 'handle'>,
  parts: RequestParts,
  ofHeaders: readonly Problem[] = [],
): RequestParts {
  const problems: Problem[] = [...ofHeaders];
  const accepted = {
    params: validatePart(problems, operation.params, parts.params),
    query: validatePart(problems, operation.query, parts.query),
    // The form or the bytes of an upload are read while they stream.
    body:
      operation.form || operation.bytes !== undefined
        ? undefined
        : validatePart(
            problems,
            operation.body,
            parts.body === undefined ? {} : parts.body,
            findMoreProblems,
            // Bodies of devices were parsed without it.
            isForCustomers(operation),
          ),
  };
  if (problems.length > 0) {
    throw validationError(problems);
  }
  return accepted;
}

/** Validates the body of a device, as `parseRequest` does, which has neither parameters nor a query. */
export function parseDeviceBody(
  { operation, findMoreProblems }: Omit<Route, 'handle'>,
  value: unknown,
): unknown {
  const problems: Problem[] = [];
  const body = validatePart(
    problems,
    operation.body,
    value === undefined ? {} : value,
    findMoreProblems,
    false,
  );
  if (problems.length > 0) {
    throw validationError(problems);
  }
  return body;
}

/** Returns the part as its schema reads it, or adds what is wrong with it to `problems`. */
function validatePart(
  problems: Problem[],
  schema: z.ZodType,
  value: unknown,
  findMore?: Route['findMoreProblems'],
  mayHaveNul = true,
): unknown {
  const result = schema.safeParse(value, ERROR_MESSAGES);
  const withNul = mayHaveNul ? pathsWithNul(value) : [];
  if (result.success && withNul.length === 0) {
    return result.data;
  }
  const found = result.success ? [] : result.error.issues.flatMap((issue) => toProblems(issue));
  const foundPaths = new Set(found.map(({ path }) => path));
  for (const path of withNul) {
    if (!foundPaths.has(path)) {
      found.push({ path, message: 'must not contain the character U+0000' });
    }
  }
  const reportedPaths = new Set(found.map(({ path }) => path));
  // One by one: a spread could exceed the maximum number of arguments.
  for (const problem of found) {
    problems.push(problem);
  }
  for (const problem of findMore?.(value) ?? []) {
    if (!reportedPaths.has(problem.path)) {
      problems.push(problem);
    }
  }
  return undefined;
}

function toProblems(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): Problem[] {
  const path = [...above, ...issue.path];
  const where = path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key].map(String).join('.'),
      message: 'is not a known field',
    }));
  }
  const meant = issue.code === 'invalid_union' ? issue.errors.find(hasItsFields) : undefined;
  return meant ? meant.flatMap((each) => toProblems(each, path)) : [{ path: where, message: issue.message }];
}

/** Whether these are problems of a variant that has the fields of the value: then that one is meant. */
const hasItsFields = (problems: readonly z.core.$ZodIssue[]): boolean =>
  problems.every(({ code, path }) => path.length > 1 || (path.length === 1 && code !== 'invalid_type'));
