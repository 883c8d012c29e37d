import type { ReactNode } from 'react';

/** A part of a page with a heading. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-3 rounded-xl border border-line bg-panel p-4">
      <header className="flex flex-wrap items-baseline justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {aside !== undefined && <div className="text-muted">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** Names with values, such as the hardware of a device. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The shape of what is loading, so that nothing moves when it is there. */
export function Skeleton({ className }: { className: string }) {
  return <div aria-hidden className={`rounded-lg bg-raised motion-safe:animate-pulse ${className}`} />;
}
