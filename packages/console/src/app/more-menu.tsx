import { useRouter, useRouterState } from '@tanstack/react-router';
import { useMessages } from '../i18n/language.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import type { Area } from './areas.ts';
import { BAR_ITEM, BarIcon } from './bar-item.tsx';
import { OpenCount } from './open-count.tsx';

/** The areas that have no place of their own in the bar at the bottom. */
export function MoreMenu({ areas }: { areas: readonly Area[] }) {
  const messages = useMessages();
  const router = useRouter();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const current = areas.find(({ address }) => path === address || path.startsWith(`${address}/`));
  const open = areas.reduce((sum, { openAlerts }) => sum + openAlerts, 0);
  return (
    <Menu
      label={`${current ? `${messages.moreAreas}: ${current.name}` : messages.moreAreas}${open > 0 ? ` (${messages.openAlerts(open)})` : ''}`}
      className={`${BAR_ITEM} ${current ? 'font-semibold text-accent!' : ''}`}
      trigger={
        <>
          <span className="relative">
            <BarIcon />
            <OpenCount count={open} isSaid={false} className="absolute start-full -top-1" />
          </span>
          <span className="max-w-full truncate">{current?.name ?? messages.moreAreas}</span>
        </>
      }
    >
      {areas.map(({ address, name, openAlerts }) => (
        <MenuItem key={address} onChoose={() => router.history.push(address)}>
          {name} <OpenCount count={openAlerts} />
        </MenuItem>
      ))}
    </Menu>
  );
}
