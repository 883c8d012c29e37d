import { lazyRouteComponent, Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useMessages } from '../i18n/language.tsx';
import type { Area } from './areas.ts';
import { BAR_ITEM, BarIcon } from './bar-item.tsx';

/** How many areas have a place of their own beside "More". */
const SHOWN = 4;

/** Long names get more room than short ones. */
const PLACE = 'min-w-11 flex-auto';

const MoreMenu = lazyRouteComponent(() => import('./more-menu.tsx'), 'MoreMenu');

/** The navigation of narrow windows: the first areas, and a menu with the others. */
export function BottomBar({ areas }: { areas: readonly Area[] }) {
  const messages = useMessages();
  return (
    <nav
      aria-label={messages.areas}
      className="sticky bottom-0 z-10 border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] lg:hidden"
    >
      <ul className="mx-auto flex max-w-xl px-1">
        {areas.slice(0, SHOWN).map(({ address, name }) => (
          <li key={address} className={PLACE}>
            <Link
              to={address}
              className={`${BAR_ITEM} data-[status=active]:font-semibold data-[status=active]:text-accent`}
            >
              <BarIcon address={address} />
              <span className="max-w-full truncate">{name}</span>
            </Link>
          </li>
        ))}
        <li className={PLACE}>
          <Suspense>
            <MoreMenu areas={areas.slice(SHOWN)} />
          </Suspense>
        </li>
      </ul>
    </nav>
  );
}
