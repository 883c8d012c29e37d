import { Button } from '../ui/button.tsx';
import { useSearchText } from '../ui/search-text.ts';
import { SORTS } from './content-queries.ts';
import type { ContentFilters } from './content-queries.ts';
import { useTexts } from './texts.ts';

const CHIP = 'h-9 rounded-lg border border-line bg-panel px-3 text-text pointer-coarse:h-11';

type Shown = ContentFilters & { view?: 'list' };

/** Search, type, order and view; all of them are in the address. */
export function ContentFilterBar({
  filters,
  view,
  onChange,
}: {
  filters: ContentFilters;
  view: 'list' | undefined;
  onChange: (next: Shown) => void;
}) {
  const texts = useTexts();
  const set = (changed: Partial<Record<keyof Shown, string>>) =>
    onChange(
      // Empty parameters are left out of the address.
      Object.fromEntries(
        Object.entries({ ...filters, view, ...changed }).filter(
          ([, value]) => value !== '' && value !== undefined,
        ),
      ),
    );
  const [search, setSearch] = useSearchText(filters.search ?? '', (text) => set({ search: text }));
  const orders = [texts.byName, texts.largest];
  return (
    <search className="mb-3 flex flex-wrap gap-2">
      <input
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        className={`${CHIP} min-w-48 flex-1 placeholder:text-muted sm:max-w-80`}
      />
      <select
        aria-label={texts.type}
        value={filters.type ?? ''}
        onChange={(event) => set({ type: event.target.value })}
        className={CHIP}
      >
        <option value="">{`${texts.type}: ${texts.all}`}</option>
        <option value="image">{texts.images}</option>
        <option value="video">{texts.videos}</option>
      </select>
      <select
        aria-label={texts.sort}
        value={filters.sort ?? ''}
        onChange={(event) => set({ sort: event.target.value })}
        className={CHIP}
      >
        <option value="">{texts.newest}</option>
        {SORTS.map((sort, index) => (
          <option key={sort} value={sort}>
            {orders[index]}
          </option>
        ))}
      </select>
      <div role="group" aria-label={texts.view} className="flex gap-1">
        <Button
          look={view === undefined ? 'plain' : 'quiet'}
          aria-pressed={view === undefined}
          onClick={() => set({ view: '' })}
        >
          {texts.grid}
        </Button>
        <Button
          look={view === 'list' ? 'plain' : 'quiet'}
          aria-pressed={view === 'list'}
          onClick={() => set({ view: 'list' })}
        >
          {texts.list}
        </Button>
      </div>
    </search>
  );
}
