import { useRouter, useRouterState } from '@tanstack/react-router';
import { useMessages } from '../i18n/language.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { BAR_ITEM, BarIcon } from './bar-item.tsx';

/** The areas that have no place of their own in the bar at the bottom. */
export function MoreMenu({ areas }: { areas: readonly (readonly [address: string, name: string])[] }) {
  const messages = useMessages();
  const router = useRouter();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const current = areas.find(([address]) => path === address || path.startsWith(`${address}/`));
  return (
    <Menu
      label={current ? `${messages.moreAreas}: ${current[1]}` : messages.moreAreas}
      className={`${BAR_ITEM} ${current ? 'font-semibold text-accent!' : ''}`}
      trigger={
        <>
          <BarIcon />
          <span className="max-w-full truncate">{current?.[1] ?? messages.moreAreas}</span>
        </>
      }
    >
      {areas.map(([address, name]) => (
        <MenuItem key={address} onChoose={() => router.history.push(address)}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
