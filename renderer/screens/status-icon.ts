const SVG = 'http://www.w3.org/2000/svg';

const SHAPES = {
  ok: 'M5 12.5l4.6 4.6L19 7.6',
  failed: 'M6.5 6.5l11 11m0-11l-11 11',
  waiting: 'M7 12h.01M12 12h.01M17 12h.01',
};

/** A tick, a cross or three dots in the current colour; decorative, the meaning is in the text beside it. */
export function statusIcon(kind: keyof typeof SHAPES): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('status-icon');
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', SHAPES[kind]);
  svg.append(line);
  return svg;
}
