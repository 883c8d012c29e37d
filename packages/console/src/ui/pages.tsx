import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from './button.tsx';

/** Leads to the pages before and after the one of a list that is shown; nothing when there is only one. */
export function Pages({
  page,
  pages,
  onChoose,
}: {
  /** Counts from 1. */
  page: number;
  pages: number;
  onChoose: (page: number) => void;
}) {
  const messages = useMessages();
  const format = useFormat();
  return (
    pages > 1 && (
      <div className="flex items-center gap-3">
        <Button disabled={page <= 1} onClick={() => onChoose(page - 1)} aria-label={messages.previousPage}>
          ‹
        </Button>
        <span className="text-muted">{messages.pageOf(format.number(page), format.number(pages))}</span>
        <Button disabled={page >= pages} onClick={() => onChoose(page + 1)} aria-label={messages.nextPage}>
          ›
        </Button>
      </div>
    )
  );
}
