import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import type { FleetSearch } from './fleet-search.ts';
import { readViews, storeViews } from './view-storage.ts';
import { useFleetTexts } from './texts.ts';

/** Names for filters that are used often; they are kept in this browser, and the address has the filters themselves. */
export function SavedViews({ search }: { search: FleetSearch }) {
  const texts = useFleetTexts();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [views, setViews] = useState(readViews);
  const keep = (next: typeof views) => {
    setViews(next);
    storeViews(next);
  };
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = (formTexts(event.currentTarget)['view'] ?? '').trim();
    if (name !== '') {
      keep([...views.filter((view) => view.name !== name), { name, search }]);
      event.currentTarget.reset();
    }
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.views}</Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={texts.views}>
        {views.length === 0 && <p className="text-muted">{texts.noViews}</p>}
        <ul className="flex flex-col gap-1">
          {views.map((view) => (
            <li key={view.name} className="flex items-center gap-2">
              <Button
                className="min-w-0 flex-1 justify-start!"
                onClick={() => {
                  setOpen(false);
                  void navigate({ to: '/devices', search: view.search });
                }}
              >
                <span title={view.name} className="truncate">
                  {view.name}
                </span>
              </Button>
              <Button
                look="quiet"
                aria-label={texts.removeView(view.name)}
                onClick={() => keep(views.filter((each) => each !== view))}
              >
                ✕
              </Button>
            </li>
          ))}
        </ul>
        <form className="flex flex-col gap-3 border-t border-line pt-4" onSubmit={save}>
          <TextField label={texts.viewName} name="view" required maxLength={60} />
          <Button look="primary" type="submit">
            {texts.saveView}
          </Button>
        </form>
      </Dialog>
    </>
  );
}
