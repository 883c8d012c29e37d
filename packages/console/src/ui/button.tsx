import type { ComponentProps } from 'react';

const LOOKS = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  plain: 'bg-panel text-text border-line hover:bg-raised',
  quiet: 'border-transparent text-muted hover:bg-raised hover:text-text',
  danger: 'bg-panel text-bad border-line hover:bg-bad-panel',
};

/** A button; `isBusy` while what it began has not ended. */
export function Button({
  look = 'plain',
  isBusy = false,
  className = '',
  ...props
}: ComponentProps<'button'> & { look?: keyof typeof LOOKS; isBusy?: boolean }) {
  return (
    <button
      type="button"
      aria-busy={isBusy}
      {...props}
      disabled={props.disabled === true || isBusy}
      className={`inline-flex h-9 items-center justify-center gap-2 rounded-lg border px-3 font-medium whitespace-nowrap disabled:opacity-60 pointer-coarse:h-11 ${LOOKS[look]} ${className}`}
    />
  );
}
