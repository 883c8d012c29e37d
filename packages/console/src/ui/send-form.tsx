import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';

/**
 * A form that is sent once, and then is gone or empty. Until the answer is there nothing can be changed in it, which would be lost;
 * then the focus is where it was.
 */
export function SendForm({
  isSending,
  onSend,
  className,
  children,
}: {
  isSending: boolean;
  onSend: (form: HTMLFormElement) => void;
  className: string;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const focused = useRef<Element | null>(null);
  useEffect(() => {
    // Unless somebody has gone on elsewhere.
    if (
      !isSending &&
      focused.current instanceof HTMLElement &&
      document.activeElement?.contains(form.current)
    ) {
      focused.current.focus();
    }
  }, [isSending]);
  return (
    <form
      ref={form}
      inert={isSending}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        focused.current = document.activeElement;
        onSend(event.currentTarget);
      }}
    >
      {children}
    </form>
  );
}
