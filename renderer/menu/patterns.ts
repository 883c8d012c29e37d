export interface Pattern {
  kind: 'geometry' | 'colours' | 'lines' | 'motion';
  isAnimated: boolean;
  /** Paints the whole canvas, which has the physical pixels of the panel. `atMs` is monotonic. */
  draw(context: CanvasRenderingContext2D, atMs: number): void;
}

const WHITE = '#fff';
const BLACK = '#000';
const BARS = ['#fff', '#ff0', '#0ff', '#0f0', '#f0f', '#f00', '#00f', '#000'];
const GREYS = 16;

/** Time in which a bar crosses the panel. */
const CROSSING_MS = 4_000;

export const PATTERNS: readonly Pattern[] = [
  { kind: 'geometry', isAnimated: false, draw: geometry },
  { kind: 'colours', isAnimated: false, draw: colours },
  { kind: 'lines', isAnimated: false, draw: lines },
  { kind: 'motion', isAnimated: true, draw: motion },
];

/** Circles that must be round, squares that must be square, and frames that reveal overscan. */
function geometry(context: CanvasRenderingContext2D): void {
  const { width, height } = context.canvas;
  const shorterSide = Math.min(width, height);
  const lineWidth = Math.max(1, Math.round(shorterSide / 540));
  fill(context, BLACK, 0, 0, width, height);
  const cell = shorterSide / 12;
  context.strokeStyle = '#4a5568';
  context.lineWidth = lineWidth;
  context.beginPath();
  for (let x = width / 2; x < width; x += cell) {
    line(context, x, 0, x, height, width);
  }
  for (let y = height / 2; y < height; y += cell) {
    line(context, 0, y, width, y, 0, height);
  }
  context.stroke();

  context.strokeStyle = WHITE;
  context.lineWidth = lineWidth * 2;
  circle(context, width / 2, height / 2, shorterSide * 0.45);
  for (const x of [0.16, 0.84]) {
    for (const y of [0.16, 0.84]) {
      const middle = {
        x: x < 0.5 ? shorterSide * x : width - shorterSide * (1 - x),
        y: y < 0.5 ? shorterSide * y : height - shorterSide * (1 - y),
      };
      circle(context, middle.x, middle.y, shorterSide * 0.12);
    }
  }
  context.beginPath();
  context.moveTo(0, 0);
  context.lineTo(width, height);
  context.moveTo(width, 0);
  context.lineTo(0, height);
  context.stroke();

  // 2.5 % and 5 %: common overscan of televisions.
  for (const part of [0.025, 0.05]) {
    context.strokeStyle = '#8be0cb';
    context.strokeRect(width * part, height * part, width * (1 - 2 * part), height * (1 - 2 * part));
  }
  // The outermost pixels, in a colour used nowhere else.
  context.fillStyle = '#f33';
  for (const [x, y, w, h] of [
    [0, 0, width, 1],
    [0, height - 1, width, 1],
    [0, 0, 1, height],
    [width - 1, 0, 1, height],
  ] as const) {
    context.fillRect(x, y, w, h);
  }

  const text = `${width} × ${height}`;
  const size = shorterSide * 0.055;
  context.font = `600 ${size}px "Inter Variable", sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const boxWidth = context.measureText(text).width + size;
  fill(context, BLACK, width / 2 - boxWidth / 2, height / 2 - size, boxWidth, size * 2);
  context.fillStyle = WHITE;
  context.fillText(text, width / 2, height / 2);
}

/** Full colours, grey steps that must all be distinguishable, and gradients without banding. */
function colours(context: CanvasRenderingContext2D): void {
  const { width, height } = context.canvas;
  const barsEnd = Math.round(height * 0.55);
  const greysEnd = Math.round(height * 0.75);
  fillColumns(BARS, width, (colour, x, w) => fill(context, colour, x, 0, w, barsEnd));
  const greys = Array.from({ length: GREYS }, (_, i) => {
    const value = Math.round((i * 255) / (GREYS - 1));
    return `rgb(${value} ${value} ${value})`;
  });
  fillColumns(greys, width, (colour, x, w) => fill(context, colour, x, barsEnd, w, greysEnd - barsEnd));
  const gradientColours = ['#f00', '#0f0', '#00f', WHITE];
  const gradientHeight = (height - greysEnd) / gradientColours.length;
  gradientColours.forEach((colour, i) => {
    const gradient = context.createLinearGradient(0, 0, width, 0);
    gradient.addColorStop(0, BLACK);
    gradient.addColorStop(1, colour);
    context.fillStyle = gradient;
    context.fillRect(0, greysEnd + i * gradientHeight, width, gradientHeight + 1);
  });
}

/** Lines of one pixel: even grey where the display maps pixels 1:1, moiré where it scales. */
function lines(context: CanvasRenderingContext2D): void {
  const { width, height } = context.canvas;
  const middleX = Math.round(width / 2);
  const middleY = Math.round(height / 2);
  const quarter = (
    x: number,
    y: number,
    w: number,
    h: number,
    isLight: (x: number, y: number) => boolean,
  ) => {
    context.fillStyle = createTilePattern(context, isLight);
    context.fillRect(x, y, w, h);
  };
  quarter(0, 0, middleX, middleY, (x) => x % 2 === 0);
  quarter(middleX, 0, width - middleX, middleY, (_, y) => y % 2 === 0);
  quarter(0, middleY, middleX, height - middleY, (x, y) => (x + y) % 2 === 0);
  quarter(
    middleX,
    middleY,
    width - middleX,
    height - middleY,
    (x, y) => (Math.floor(x / 2) + Math.floor(y / 2)) % 2 === 0,
  );
}

/** Bars that cross the panel evenly, to reveal stutter, tearing and smearing. */
function motion(context: CanvasRenderingContext2D, atMs: number): void {
  const { width, height } = context.canvas;
  fill(context, '#20242c', 0, 0, width, height);
  const progress = (atMs % CROSSING_MS) / CROSSING_MS;
  const bar = Math.round(width / 24);
  fill(context, WHITE, Math.round(progress * (width + bar)) - bar, 0, bar, Math.round(height * 0.45));
  fill(
    context,
    WHITE,
    width - Math.round(progress * (width + bar)),
    Math.round(height * 0.45),
    4,
    Math.round(height * 0.1),
  );
  const square = Math.round(height * 0.2);
  const swing = Math.abs(1 - 2 * progress);
  fill(context, '#ff0', Math.round(swing * (width - square)), Math.round(height * 0.58), square, square);
  const step = Math.floor(atMs / 100) % 10;
  fillColumns([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], width, (n, x, w) =>
    fill(context, n === step ? WHITE : BLACK, x, Math.round(height * 0.86), w - 2, Math.round(height * 0.1)),
  );
}

function fill(
  context: CanvasRenderingContext2D,
  colour: string,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  context.fillStyle = colour;
  context.fillRect(x, y, w, h);
}

function circle(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}

/** Columns of whole pixels that fill the width. */
function fillColumns<T>(
  parts: readonly T[],
  width: number,
  draw: (part: T, x: number, w: number) => void,
): void {
  parts.forEach((part, i) => {
    const x = Math.round((i * width) / parts.length);
    draw(part, x, Math.round(((i + 1) * width) / parts.length) - x);
  });
}

/** A line and its mirror image on the other side of the center. */
function line(
  context: CanvasRenderingContext2D,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  mirrorX: number,
  mirrorY = 0,
): void {
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.moveTo(mirrorX ? mirrorX - x1 : x1, mirrorY ? mirrorY - y1 : y1);
  context.lineTo(mirrorX ? mirrorX - x2 : x2, mirrorY ? mirrorY - y2 : y2);
}

/** A pattern of 4 × 4 physical pixels. */
function createTilePattern(
  context: CanvasRenderingContext2D,
  isLight: (x: number, y: number) => boolean,
): CanvasPattern {
  const small = new OffscreenCanvas(4, 4);
  const dots = small.getContext('2d', { alpha: false })!;
  for (let y = 0; y < 4; y++) {
    for (let x = 0; x < 4; x++) {
      dots.fillStyle = isLight(x, y) ? WHITE : BLACK;
      dots.fillRect(x, y, 1, 1);
    }
  }
  return context.createPattern(small, 'repeat')!;
}
