export { createClient } from './client.ts';
export type { PlacardClient } from './client.ts';
export type { EventStreamOptions } from './event-stream.ts';
export type * from './resources.generated.ts';
export type { Page, PageMeta, Pages } from './pages.ts';
export { PlacardError } from './placard-error.ts';
export type { ClientOptions } from './request.ts';
export type {
  Body,
  Data,
  ErrorCode,
  Input,
  OperationId,
  Query,
  RequestOptions,
  Result,
  UntypedInput,
  WithQuery,
} from './types.ts';
