import { useId } from 'react';
import type { ComponentProps, ReactNode } from 'react';

const CONTROL =
  'h-9 w-full min-w-0 rounded-lg border border-line bg-panel px-3 text-text placeholder:text-muted aria-invalid:border-bad pointer-coarse:h-11';

interface Described {
  label: string;
  hint?: string | undefined;
  /** What is wrong with the value. */
  error?: string | undefined;
}

/** A label above a control, with a hint or what is wrong below it. */
function Labelled({ id, label, hint, error, children }: Described & { id: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      <p id={`${id}-text`} className={error ? 'text-bad' : 'text-muted'} hidden={!error && !hint}>
        {error ?? hint}
      </p>
    </div>
  );
}

/** A field for text. */
export function TextField({
  label,
  hint,
  error,
  className = '',
  id: ownId,
  ...props
}: Described & ComponentProps<'input'>) {
  const madeId = useId();
  const id = ownId ?? madeId;
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <input
        id={id}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-text`}
        {...props}
        className={`${CONTROL} ${className}`}
      />
    </Labelled>
  );
}

/** A choice of few values. */
export function SelectField({
  label,
  hint,
  error,
  className = '',
  id: ownId,
  ...props
}: Described & ComponentProps<'select'>) {
  const madeId = useId();
  const id = ownId ?? madeId;
  return (
    <Labelled id={id} label={label} hint={hint} error={error}>
      <select id={id} aria-describedby={`${id}-text`} {...props} className={`${CONTROL} ${className}`} />
    </Labelled>
  );
}

/** A choice between yes and no. */
export function CheckBox({
  label,
  isChecked,
  onChange,
}: {
  label: string;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}) {
  return (
    <label className="flex min-h-8 min-w-0 items-center gap-2 pointer-coarse:min-h-11">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0 [overflow-wrap:anywhere]">{label}</span>
    </label>
  );
}
