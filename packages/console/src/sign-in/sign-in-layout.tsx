import type { ReactNode } from 'react';

/** The pages of people who are not signed in: one form in the middle. */
export function SignInLayout({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-6 p-4">
      <p className="text-xl font-semibold tracking-tight">Placard</p>
      <div className="flex w-full max-w-sm flex-col gap-5 rounded-2xl border border-line bg-panel p-6">
        <h1 className="text-lg font-semibold">{title}</h1>
        {children}
      </div>
    </main>
  );
}
