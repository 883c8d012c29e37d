import { Link, useRouter, useRouterState } from '@tanstack/react-router';
import { useMessages } from '../i18n/language.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';

/** How many areas have a place of their own beside "More". */
const SHOWN = 4;

const ITEM =
  'flex h-14 w-full min-w-0 flex-col items-center justify-center gap-0.5 rounded-lg px-0.5 text-xs text-muted hover:text-text';

/** Outlines on a grid of 24, by the address of the area. */
const ICONS: Readonly<Record<string, string>> = {
  '/devices': 'M3 5h18v12H3zM8 21h8',
  '/content': 'M3 5h18v14H3zM3 16l5-5 5 5 3-3 5 5M15.5 9.5h.01',
  '/playlists': 'M4 6h16M4 12h10M4 18h10M17 13l4 2.5-4 2.5z',
  '/schedules': 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
};
const MORE = 'M5 12h.01M12 12h.01M19 12h.01';

function Icon({ path, width = 1.8 }: { path: string; width?: number }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 24 24"
      className="size-5"
      fill="none"
      stroke="currentColor"
      strokeWidth={width}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={path} />
    </svg>
  );
}

/** The navigation of narrow windows: the first areas, and a menu with the others. */
export function BottomBar({ areas }: { areas: readonly (readonly [address: string, name: string])[] }) {
  const messages = useMessages();
  const router = useRouter();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const others = areas.slice(SHOWN);
  const current = others.find(([address]) => path === address || path.startsWith(`${address}/`));
  return (
    <nav
      aria-label={messages.areas}
      className="sticky bottom-0 z-10 border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] lg:hidden"
    >
      <ul className="mx-auto grid max-w-xl grid-cols-5 px-1">
        {areas.slice(0, SHOWN).map(([address, name]) => (
          <li key={address} className="min-w-0">
            <Link
              to={address}
              className={`${ITEM} data-[status=active]:font-semibold data-[status=active]:text-accent`}
            >
              <Icon path={ICONS[address] ?? MORE} />
              <span className="max-w-full truncate">{name}</span>
            </Link>
          </li>
        ))}
        <li className="min-w-0">
          <Menu
            label={current ? `${messages.moreAreas}: ${current[1]}` : messages.moreAreas}
            className={`${ITEM} ${current ? 'font-semibold text-accent!' : ''}`}
            trigger={
              <>
                <Icon path={MORE} width={3} />
                <span className="max-w-full truncate">{current?.[1] ?? messages.moreAreas}</span>
              </>
            }
          >
            {others.map(([address, name]) => (
              <MenuItem key={address} onChoose={() => router.history.push(address)}>
                {name}
              </MenuItem>
            ))}
          </Menu>
        </li>
      </ul>
    </nav>
  );
}
