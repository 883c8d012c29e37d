import { Link, Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useMay } from '../api/account.ts';
import { Skeleton } from '../ui/panel.tsx';
import { useTexts } from './settings-texts.ts';

const SECTIONS = [
  { to: '/settings/account', name: 'account', scope: 'Read' },
  { to: '/settings/people', name: 'people', scope: 'Admin' },
  { to: '/settings/api-keys', name: 'apiKeys', scope: 'Admin' },
  { to: '/settings/webhooks', name: 'webhooks', scope: 'Admin' },
  { to: '/settings/audit-log', name: 'auditLog', scope: 'Admin' },
  { to: '/settings/organization', name: 'organization', scope: 'Read' },
  { to: '/settings/about', name: 'about', scope: 'Read' },
] as const;

/** The pages of the settings with their navigation, which has what the person may see. */
export function SettingsLayout() {
  const texts = useTexts();
  const isAdmin = useMay('Admin');
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-4 lg:grid-cols-[12rem_minmax(0,56rem)]">
      <nav aria-label={texts.settings} className="flex flex-wrap gap-1 lg:flex-col lg:flex-nowrap">
        {SECTIONS.filter(({ scope }) => scope === 'Read' || isAdmin).map(({ to, name }) => (
          <Link
            key={to}
            to={to}
            className="inline-flex min-h-9 items-center rounded-lg px-3 whitespace-nowrap text-muted hover:bg-raised hover:text-text data-[status=active]:bg-selected data-[status=active]:text-text pointer-coarse:min-h-11"
          >
            {texts.sections[name]}
          </Link>
        ))}
      </nav>
      <div className="flex min-w-0 flex-col gap-4">
        <Suspense fallback={<Skeleton className="h-96" />}>
          <Outlet />
        </Suspense>
      </div>
    </div>
  );
}
