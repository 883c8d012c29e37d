/** How much of something is done. */
export function ProgressBar({
  label,
  value,
  max,
  className = '',
}: {
  label: string;
  value: number;
  max: number;
  className?: string;
}) {
  return (
    <progress
      aria-label={label}
      value={value}
      max={Math.max(1, max)}
      className={`h-1.5 w-full appearance-none overflow-hidden rounded-full bg-raised [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-accent ${className}`}
    />
  );
}
