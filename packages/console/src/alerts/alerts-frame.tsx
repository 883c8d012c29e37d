import type { ReactNode } from 'react';
import { useIsBound } from '../api/account.ts';
import { useTexts } from './texts.ts';

/** A page about alerts. People who are bound to stores are told that they see none, and the API is asked nothing. */
export function AlertsFrame({
  title,
  back,
  aside,
  children,
}: {
  title: string;
  /** The link to the page above. */
  back?: ReactNode;
  aside?: ReactNode;
  /** Called when the person may see it. */
  children: () => ReactNode;
}) {
  const texts = useTexts();
  const isBound = useIsBound();
  return (
    <div className="flex flex-col gap-4">
      <title>{`${title} · Placard`}</title>
      <header className="flex flex-col gap-1">
        {back !== undefined && <nav>{back}</nav>}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
          <h1 className="min-w-0 text-xl font-semibold [overflow-wrap:anywhere]">{title}</h1>
          {!isBound && aside}
        </div>
      </header>
      {isBound ? <p className="max-w-prose text-muted">{texts.notForBound}</p> : children()}
    </div>
  );
}
