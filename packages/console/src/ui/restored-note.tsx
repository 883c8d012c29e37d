import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from './button.tsx';

/** Says that what was not saved before a reload is here again, with a button that gives it up. */
export function RestoredNote({
  atMs,
  onDiscard,
}: {
  /** When it was changed last, in milliseconds since 1970; null: nothing was restored. */
  atMs: number | null;
  onDiscard: () => void;
}) {
  const messages = useMessages();
  const format = useFormat();
  return (
    atMs !== null && (
      <div
        role="status"
        className="flex flex-wrap items-center justify-between gap-2 rounded-lg bg-selected p-2 ps-3"
      >
        <p className="min-w-0">{messages.draftRestored(format.moment(atMs))}</p>
        <Button onClick={onDiscard}>{messages.discard}</Button>
      </div>
    )
  );
}
