import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import type { Area } from './areas.ts';

/** How long after `g` the letter of an area may come. */
const SEQUENCE_MS = 1000;

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

/**
 * Every area by keyboard: Ctrl K or ⌘ K opens a list of them, and `g` followed by the first letter of its address goes there
 * (`g d`: the devices). The same once more goes to the next one with this letter.
 */
export function Palette({ areas }: { areas: readonly Area[] }) {
  const messages = useMessages();
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const found = areas.filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()));
  const go = (address: string) => {
    setOpen(false);
    router.history.push(address);
  };
  const current = useRef(areas);
  current.current = areas;
  useEffect(() => {
    let sequenceMs = -SEQUENCE_MS;
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        setTyped('');
        setOpen(true);
        return;
      }
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) {
        return;
      }
      const isSecond = event.timeStamp - sequenceMs < SEQUENCE_MS;
      sequenceMs = event.key === 'g' ? event.timeStamp : -SEQUENCE_MS;
      const areasOfKey = isSecond ? current.current.filter(({ address }) => address[1] === event.key) : [];
      const here = areasOfKey.findIndex(({ address }) => location.pathname.startsWith(address));
      const area = areasOfKey[(here + 1) % areasOfKey.length];
      if (area) {
        event.preventDefault();
        router.history.push(area.address);
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [router]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (found[0]) {
      go(found[0].address);
    }
  };
  return (
    <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={messages.goTo}>
      <form onSubmit={submit}>
        <TextField
          label={messages.goToHint}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoFocus
          autoComplete="off"
        />
      </form>
      <ul className="flex flex-col gap-1">
        {found.map(({ address, name }) => (
          <li key={address} className="flex flex-col">
            <Button className="justify-start!" onClick={() => go(address)}>
              {name}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
