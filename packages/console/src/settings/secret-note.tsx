import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { useTexts } from './settings-texts.ts';

/** A secret or a link that is shown once, to copy. */
export function SecretNote({ label, value, hint }: { label: string; value: string; hint?: string }) {
  const texts = useTexts();
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setIsCopied(true);
  };
  return (
    <div role="status" className="flex flex-col gap-2 rounded-lg bg-selected p-3">
      <p>
        {hint} {texts.shownOnce}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <input
          readOnly
          aria-label={label}
          value={value}
          onFocus={(event) => event.target.select()}
          className="h-9 min-w-0 flex-1 basis-60 rounded-lg border border-line bg-panel px-3 font-mono"
        />
        {/* Browsers offer the clipboard by https and on this machine only. */}
        {window.isSecureContext && (
          <Button onClick={() => void copy()}>{isCopied ? `✓ ${texts.copied}` : texts.copy}</Button>
        )}
      </div>
    </div>
  );
}
