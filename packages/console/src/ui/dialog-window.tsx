import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { useMessages } from '../i18n/language.tsx';

export interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
}

/** The window of `Dialog`. */
export function DialogWindow({ isOpen, onClose, title, children }: DialogProps) {
  const messages = useMessages();
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 bg-black/50" />
        <Base.Popup className="fixed top-1/2 left-1/2 flex max-h-[90dvh] w-[min(28rem,calc(100vw-2rem))] -translate-1/2 flex-col gap-4 overflow-y-auto *:shrink-0 rounded-2xl border border-line bg-panel p-5 text-text shadow-2xl">
          <header className="flex items-start justify-between gap-4">
            <Base.Title className="min-w-0 text-lg font-semibold [overflow-wrap:anywhere]">
              {title}
            </Base.Title>
            <Base.Close
              aria-label={messages.close}
              className="-m-2 grid size-10 shrink-0 place-items-center rounded-lg text-muted hover:bg-raised hover:text-text"
            >
              ✕
            </Base.Close>
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
