import { lazy, Suspense, useEffect, useState } from 'react';
import type { DialogProps } from './dialog-window.tsx';

/** 22 kB (gzip) that no page needs to be shown. */
const loadWindow = async () => ({ default: (await import('./dialog-window.tsx')).DialogWindow });
const DialogWindow = lazy(loadWindow);

/** A dialog above the page. Its code is loaded once the page is shown. */
export function Dialog(props: DialogProps) {
  const { isOpen } = props;
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen && !wasOpen) {
    setWasOpen(true);
  }
  useEffect(() => {
    // Opening it tries again.
    void loadWindow().catch(() => {});
  }, []);
  // Stays once it was open, so that it can close and return the focus.
  return (
    wasOpen && (
      <Suspense>
        <DialogWindow {...props} />
      </Suspense>
    )
  );
}
