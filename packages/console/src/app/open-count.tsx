import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';

/** What fits into the mark. */
const MOST = 99;

/** How many alerts are open, as a mark beside a name; nothing when there are none. */
export function OpenCount({
  count,
  isSaid = true,
  className = '',
}: {
  count: number;
  /** Whether screen readers say it here. */
  isSaid?: boolean;
  className?: string;
}) {
  const messages = useMessages();
  const format = useFormat();
  return (
    count > 0 && (
      <>
        <span
          aria-hidden
          className={`h-4 min-w-4 rounded-full bg-bad-panel px-1 text-center text-[11px]/4 font-semibold text-bad ${className}`}
        >
          {count > MOST ? `${format.number(MOST)}+` : format.number(count)}
        </span>
        {isSaid && <span className="sr-only">{messages.openAlerts(count)}</span>}
      </>
    )
  );
}
