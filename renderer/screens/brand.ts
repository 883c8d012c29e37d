import { element } from './element.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** The logo of `build/icon.svg`, drawn in the current colour. */
function logo(): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 48 48');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('logo');
  const panel = document.createElementNS(SVG, 'path');
  panel.setAttribute(
    'd',
    'M9 5h30a5 5 0 0 1 5 5v18a5 5 0 0 1-5 5H27v9a3 3 0 0 1-6 0v-9H9a5 5 0 0 1-5-5V10a5 5 0 0 1 5-5Z',
  );
  const playSymbol = document.createElementNS(SVG, 'path');
  playSymbol.setAttribute(
    'd',
    'M20 12.6v12.8a1 1 0 0 0 1.5.86l10.6-6.4a1 1 0 0 0 0-1.72l-10.6-6.4a1 1 0 0 0-1.5.86Z',
  );
  playSymbol.classList.add('logo-symbol');
  svg.append(panel, playSymbol);
  return svg;
}

export function brand(): HTMLElement {
  return element('div', 'brand', logo(), element('span', 'brand-name', 'Placard'));
}
