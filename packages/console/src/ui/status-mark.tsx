const MARKS = {
  good: { shape: '●', colour: 'text-good' },
  warn: { shape: '▲', colour: 'text-warn' },
  bad: { shape: '✕', colour: 'text-bad' },
  idle: { shape: '○', colour: 'text-muted' },
};

/** A status by shape and colour, with its name beside it or for screen readers only. */
export function StatusMark({
  kind,
  label,
  isBare = false,
}: {
  kind: keyof typeof MARKS;
  label: string;
  isBare?: boolean;
}) {
  const { shape, colour } = MARKS[kind];
  return (
    <span className="inline-flex items-baseline gap-2">
      <span aria-hidden className={`w-3 shrink-0 text-center text-xs ${colour}`}>
        {shape}
      </span>
      <span className={isBare ? 'sr-only' : ''}>{label}</span>
    </span>
  );
}
