import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';

const ITEM =
  'flex min-h-9 cursor-default items-center gap-2 rounded-md px-3 outline-none select-none data-highlighted:bg-raised pointer-coarse:min-h-11';

/** A button that opens a menu. */
export function Menu({
  label,
  trigger,
  className = 'inline-flex h-9 items-center gap-2 rounded-lg px-2 text-muted hover:bg-raised hover:text-text pointer-coarse:h-11',
  children,
}: {
  label: string;
  trigger: ReactNode;
  /** Of the button, instead of how it looks elsewhere. */
  className?: string;
  children: ReactNode;
}) {
  return (
    <Base.Root>
      <Base.Trigger aria-label={label} className={className}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="end" className="z-10">
          <Base.Popup className="min-w-52 rounded-xl border border-line bg-panel p-1 text-text shadow-xl outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export function MenuItem({ children, onChoose }: { children: ReactNode; onChoose: () => void }) {
  return (
    <Base.Item className={ITEM} onClick={onChoose}>
      {children}
    </Base.Item>
  );
}

/** One of several values is chosen. */
export function MenuChoice<T extends string>({
  title,
  value,
  choices,
  onChoose,
}: {
  title: string;
  value: T;
  choices: readonly (readonly [T, string])[];
  onChoose: (value: T) => void;
}) {
  return (
    <Base.RadioGroup value={value} onValueChange={onChoose}>
      <Base.Group>
        <Base.GroupLabel className="px-3 pt-2 pb-1 text-xs font-medium text-muted">{title}</Base.GroupLabel>
        {choices.map(([each, name]) => (
          <Base.RadioItem key={each} value={each} closeOnClick className={ITEM}>
            <span aria-hidden className="w-4 text-accent">
              {each === value ? '✓' : ''}
            </span>
            {name}
          </Base.RadioItem>
        ))}
      </Base.Group>
    </Base.RadioGroup>
  );
}
