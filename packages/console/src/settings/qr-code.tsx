import { generate } from 'lean-qr';
import { useMemo } from 'react';

/** Light modules around it, which readers need. */
const MARGIN = 4;

/** A text as a QR code, dark on white in both themes. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const code = generate(text);
    const cells = Array.from({ length: code.size ** 2 }, (_, index) => ({
      x: index % code.size,
      y: Math.floor(index / code.size),
    }));
    return {
      size: code.size + 2 * MARGIN,
      path: cells
        .filter(({ x, y }) => code.get(x, y))
        .map(({ x, y }) => `M${x + MARGIN} ${y + MARGIN}h1v1h-1z`)
        .join(''),
    };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-56 rounded-lg"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
