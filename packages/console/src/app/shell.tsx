import { useQueryClient } from '@tanstack/react-query';
import { lazyRouteComponent, Link, Outlet } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useAccount } from '../api/account.ts';
import { followEvents } from '../api/live-updates.ts';
import { TimeZone } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { useAreas } from './areas.ts';
import { BottomBar } from './bottom-bar.tsx';
import { OpenCount } from './open-count.tsx';
import { Palette } from './palette.tsx';

/** Menus are 35 kB (gzip) that no page needs to be shown. */
const AccountMenu = lazyRouteComponent(() => import('./account-menu.tsx'), 'AccountMenu');

/** What surrounds every page of a person who is signed in. */
export function Shell() {
  const messages = useMessages();
  const queries = useQueryClient();
  const account = useAccount();
  useEffect(() => {
    const controller = new AbortController();
    void followEvents(queries, controller.signal);
    return () => controller.abort();
  }, [queries]);
  const areas = useAreas();
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:m-2 focus:rounded-lg focus:bg-panel focus:px-3 focus:py-2"
      >
        {messages.skipToContent}
      </a>
      <header className="sticky top-0 z-10 border-b border-line bg-panel">
        <div className="mx-auto flex h-14 max-w-[120rem] items-center justify-between gap-4 px-4">
          <Link to="/devices" className="flex min-h-11 items-center gap-2 font-semibold">
            <Logo />
            Placard
          </Link>
          <nav aria-label={messages.areas} className="hidden min-w-0 flex-1 gap-1 overflow-x-auto lg:flex">
            {areas.map(({ address, name, openAlerts }) => (
              <Link
                key={address}
                to={address}
                className="relative rounded-lg px-3 py-2 font-medium whitespace-nowrap text-muted hover:bg-raised hover:text-text data-[status=active]:text-text"
              >
                {name}
                {/* Between two names, so that nothing moves when it appears. */}
                <OpenCount count={openAlerts} className="absolute start-[calc(100%-0.7rem)] top-1" />
              </Link>
            ))}
          </nav>
          <Palette areas={areas} />
          <Suspense>
            <AccountMenu />
          </Suspense>
        </div>
      </header>
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex w-full max-w-[120rem] min-w-0 flex-1 flex-col p-4 outline-none"
      >
        <TimeZone value={account.timezone}>
          <Outlet />
        </TimeZone>
      </main>
      <BottomBar areas={areas} />
    </div>
  );
}

export function Logo() {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className="size-6">
      <rect width="32" height="32" rx="8" fill="#0b1530" />
      <rect x="6" y="8" width="20" height="13" rx="2.5" fill="none" stroke="#5eead4" strokeWidth="2.5" />
      <path d="M12 25h8" stroke="#5eead4" strokeWidth="2.5" strokeLinecap="round" />
    </svg>
  );
}
