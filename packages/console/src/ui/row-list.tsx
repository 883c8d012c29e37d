import type { ReactNode } from 'react';

/** Things below each other, each with a title, facts in grey and what can be done. */
export function RowList({ children, label }: { children: ReactNode; label: string }) {
  return (
    <ul aria-label={label} className="flex flex-col divide-y divide-line">
      {children}
    </ul>
  );
}

export function RowItem({
  title,
  facts,
  children,
}: {
  title: ReactNode;
  /** Empty ones are left out. */
  facts: readonly (string | null | false)[];
  children?: ReactNode;
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2.5">
      <div className="min-w-0 flex-1 basis-56 [overflow-wrap:anywhere]">
        <div className="font-medium">{title}</div>
        <p className="text-muted">{facts.filter(Boolean).join(' · ')}</p>
      </div>
      {children !== undefined && <div className="flex flex-wrap gap-2">{children}</div>}
    </li>
  );
}
