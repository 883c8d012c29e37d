import type { Operation } from '@placard/protocol/api';
import type { FastifyInstance } from 'fastify';
import type { HttpDeps } from './http/deps.ts';
import { addErrorsPage } from './http/errors-page.ts';
import { addOpenApi } from './http/openapi-route.ts';
import { buildOpenApi } from './http/openapi.ts';
import { addPages } from './http/pages.ts';
import { addCompanyCallback } from './http/people/company.ts';

/** Adds what people see in a browser, and the description of the operations. */
export function addPagesAndDescription(
  app: FastifyInstance,
  deps: HttpDeps,
  {
    operations,
    version,
    mediaOrigin,
  }: { operations: readonly Operation[]; version: string; mediaOrigin: () => string },
): void {
  addOpenApi(app, {
    publicUrl: deps.publicUrl,
    openApi: (url) => buildOpenApi(operations, { version, url }),
  });
  addPages(app, { log: deps.log, mediaOrigin });
  addErrorsPage(app);
  addCompanyCallback(app, deps);
}
