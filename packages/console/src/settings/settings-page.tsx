import type { ReactNode } from 'react';
import { useMay } from '../api/account.ts';
import type { SettingsTexts } from './texts/english.ts';
import { useTexts } from './settings-texts.ts';

/** A page of the settings. One for Admins tells others so, and asks the API nothing. */
export function SettingsPage({
  name,
  title,
  aside,
  isForAdmins = false,
  children,
}: {
  name: keyof SettingsTexts['sections'];
  /** Of the page; otherwise the name of the section. */
  title?: string | undefined;
  aside?: ReactNode;
  isForAdmins?: boolean;
  /** Called when the person may see it. */
  children: () => ReactNode;
}) {
  const texts = useTexts();
  const isAdmin = useMay('Admin');
  const heading = title ?? texts.sections[name];
  const isAllowed = isAdmin || !isForAdmins;
  return (
    <>
      <title>{`${heading} · Placard`}</title>
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="min-w-0 text-xl font-semibold [overflow-wrap:anywhere]">{heading}</h1>
        {isAllowed && aside}
      </header>
      {isAllowed ? children() : <p className="text-muted">{texts.adminsOnly}</p>}
    </>
  );
}
