import type { ReactNode } from 'react';

export interface PageFrameProps {
  title: string;
  /** The link to the page above. */
  back?: ReactNode;
  /** Beside the heading. */
  aside?: ReactNode;
  children: ReactNode;
}

/** A page with its heading. */
export function PageFrame({ title, back, aside, children }: PageFrameProps) {
  return (
    <div className="flex flex-col gap-4">
      <title>{`${title} · Placard`}</title>
      <header className="flex flex-col gap-1">
        {back !== undefined && <nav>{back}</nav>}
        <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
          <h1 className="min-w-0 text-xl font-semibold [overflow-wrap:anywhere]">{title}</h1>
          {aside}
        </div>
      </header>
      {children}
    </div>
  );
}
