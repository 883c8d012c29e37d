import { PlacardError } from '@placard/client';
import { useMessages } from '../i18n/language.tsx';
import { Button } from './button.tsx';

/** The sentence of the API, or of the browser. */
export const sentenceOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** What is wrong with each field of a form, by its path. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  const details: unknown = error instanceof PlacardError ? error.details : undefined;
  return Object.fromEntries(
    (Array.isArray(details) ? details : []).flatMap((each: unknown) =>
      typeof each === 'object' && each !== null && 'path' in each && 'message' in each
        ? [[String(each.path), String(each.message)]]
        : [],
    ),
  );
}

/** An error where it happened, with what to do. */
export function ErrorMessage({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const messages = useMessages();
  const docUrl = error instanceof PlacardError ? error.docUrl : undefined;
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-bad-panel p-3 text-bad"
    >
      <p className="min-w-0 flex-1 basis-60 [overflow-wrap:anywhere]">
        {sentenceOf(error)}{' '}
        {docUrl && (
          <a className="underline" href={docUrl} target="_blank" rel="noreferrer">
            {error instanceof PlacardError ? error.code : ''}
          </a>
        )}
      </p>
      {onRetry && <Button onClick={onRetry}>{messages.tryAgain}</Button>}
    </div>
  );
}
