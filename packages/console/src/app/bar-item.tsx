/** How a place in the bar at the bottom looks. */
export const BAR_ITEM =
  'flex h-14 w-full min-w-0 flex-col items-center justify-center gap-0.5 rounded-lg px-0.5 text-xs text-muted hover:text-text';

/** Outlines on a grid of 24, by the address of the area. */
const ICONS: Readonly<Record<string, string>> = {
  '/devices': 'M3 5h18v12H3zM8 21h8',
  '/content': 'M3 5h18v14H3zM3 16l5-5 5 5 3-3 5 5M15.5 9.5h.01',
  '/playlists': 'M4 6h16M4 12h10M4 18h10M17 13l4 2.5-4 2.5z',
  '/schedules': 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
};
const MORE = 'M5 12h.01M12 12h.01M19 12h.01';

/** The icon of an area; three dots for those without one. */
export function BarIcon({ address }: { address?: string }) {
  const path = address === undefined ? undefined : ICONS[address];
  return (
    <svg
      aria-hidden
      viewBox="0 0 24 24"
      className="size-5"
      fill="none"
      stroke="currentColor"
      strokeWidth={path === undefined ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={path ?? MORE} />
    </svg>
  );
}
