export interface Pattern {
  kind: 'geometry' | 'colours' | 'lines' | 'motion';
  moves: boolean;
  /** Paints the whole canvas, which has the true pixels of the panel. `atMs` is monotonic. */
  draw(paint: CanvasRenderingContext2D, atMs: number): void;
}

const WHITE = '#fff';
const BLACK = '#000';
const BARS = ['#fff', '#ff0', '#0ff', '#0f0', '#f0f', '#f00', '#00f', '#000'];
const GREYS = 16;

/** One panel width in this time. */
const CROSSING_MS = 4_000;

export const PATTERNS: readonly Pattern[] = [
  { kind: 'geometry', moves: false, draw: geometry },
  { kind: 'colours', moves: false, draw: colours },
  { kind: 'lines', moves: false, draw: lines },
  { kind: 'motion', moves: true, draw: motion },
];

/** Circles that must be round, squares that must be square, and frames that show what the display cuts off. */
function geometry(paint: CanvasRenderingContext2D): void {
  const { width, height } = paint.canvas;
  const short = Math.min(width, height);
  const thin = Math.max(1, Math.round(short / 540));
  fill(paint, BLACK, 0, 0, width, height);
  const cell = short / 12;
  paint.strokeStyle = '#4a5568';
  paint.lineWidth = thin;
  paint.beginPath();
  for (let x = width / 2; x < width; x += cell) line(paint, x, 0, x, height, width);
  for (let y = height / 2; y < height; y += cell) line(paint, 0, y, width, y, 0, height);
  paint.stroke();

  paint.strokeStyle = WHITE;
  paint.lineWidth = thin * 2;
  circle(paint, width / 2, height / 2, short * 0.45);
  for (const x of [0.16, 0.84])
    for (const y of [0.16, 0.84]) {
      const middle = {
        x: x < 0.5 ? short * x : width - short * (1 - x),
        y: y < 0.5 ? short * y : height - short * (1 - y),
      };
      circle(paint, middle.x, middle.y, short * 0.12);
    }
  paint.beginPath();
  paint.moveTo(0, 0);
  paint.lineTo(width, height);
  paint.moveTo(width, 0);
  paint.lineTo(0, height);
  paint.stroke();

  // Two and a half and five per cent: what televisions like to hide.
  for (const part of [0.025, 0.05]) {
    paint.strokeStyle = '#8be0cb';
    paint.strokeRect(width * part, height * part, width * (1 - 2 * part), height * (1 - 2 * part));
  }
  // The outermost pixels, of a colour that is nowhere else.
  paint.fillStyle = '#f33';
  for (const [x, y, w, h] of [
    [0, 0, width, 1],
    [0, height - 1, width, 1],
    [0, 0, 1, height],
    [width - 1, 0, 1, height],
  ] as const)
    paint.fillRect(x, y, w, h);

  const text = `${width} × ${height}`;
  const size = short * 0.055;
  paint.font = `600 ${size}px "Inter Variable", sans-serif`;
  paint.textAlign = 'center';
  paint.textBaseline = 'middle';
  const wide = paint.measureText(text).width + size;
  fill(paint, BLACK, width / 2 - wide / 2, height / 2 - size, wide, size * 2);
  paint.fillStyle = WHITE;
  paint.fillText(text, width / 2, height / 2);
}

/** Full colours, steps of grey that must all be told apart, and slopes without bands. */
function colours(paint: CanvasRenderingContext2D): void {
  const { width, height } = paint.canvas;
  const barsEnd = Math.round(height * 0.55);
  const greysEnd = Math.round(height * 0.75);
  across(BARS, width, (colour, x, w) => fill(paint, colour, x, 0, w, barsEnd));
  const greys = Array.from({ length: GREYS }, (_, i) => {
    const value = Math.round((i * 255) / (GREYS - 1));
    return `rgb(${value} ${value} ${value})`;
  });
  across(greys, width, (colour, x, w) => fill(paint, colour, x, barsEnd, w, greysEnd - barsEnd));
  const slopes = ['#f00', '#0f0', '#00f', WHITE];
  const high = (height - greysEnd) / slopes.length;
  slopes.forEach((colour, i) => {
    const slope = paint.createLinearGradient(0, 0, width, 0);
    slope.addColorStop(0, BLACK);
    slope.addColorStop(1, colour);
    paint.fillStyle = slope;
    paint.fillRect(0, greysEnd + i * high, width, high + 1);
  });
}

/** Lines of one pixel: grey and even where the display shows every pixel, with waves where it scales. */
function lines(paint: CanvasRenderingContext2D): void {
  const { width, height } = paint.canvas;
  const right = Math.round(width / 2);
  const low = Math.round(height / 2);
  const quarter = (
    x: number,
    y: number,
    w: number,
    h: number,
    isLight: (x: number, y: number) => boolean,
  ) => {
    paint.fillStyle = tile(paint, isLight);
    paint.fillRect(x, y, w, h);
  };
  quarter(0, 0, right, low, (x) => x % 2 === 0);
  quarter(right, 0, width - right, low, (_, y) => y % 2 === 0);
  quarter(0, low, right, height - low, (x, y) => (x + y) % 2 === 0);
  quarter(
    right,
    low,
    width - right,
    height - low,
    (x, y) => (Math.floor(x / 2) + Math.floor(y / 2)) % 2 === 0,
  );
}

/** Bars that cross the panel evenly: a stutter, a torn edge, or a smear is seen at once. */
function motion(paint: CanvasRenderingContext2D, atMs: number): void {
  const { width, height } = paint.canvas;
  fill(paint, '#20242c', 0, 0, width, height);
  const gone = (atMs % CROSSING_MS) / CROSSING_MS;
  const bar = Math.round(width / 24);
  fill(paint, WHITE, Math.round(gone * (width + bar)) - bar, 0, bar, Math.round(height * 0.45));
  fill(
    paint,
    WHITE,
    width - Math.round(gone * (width + bar)),
    Math.round(height * 0.45),
    4,
    Math.round(height * 0.1),
  );
  const square = Math.round(height * 0.2);
  const swing = Math.abs(1 - 2 * gone);
  fill(paint, '#ff0', Math.round(swing * (width - square)), Math.round(height * 0.58), square, square);
  const step = Math.floor(atMs / 100) % 10;
  across([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], width, (n, x, w) =>
    fill(paint, n === step ? WHITE : BLACK, x, Math.round(height * 0.86), w - 2, Math.round(height * 0.1)),
  );
}

function fill(
  paint: CanvasRenderingContext2D,
  colour: string,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  paint.fillStyle = colour;
  paint.fillRect(x, y, w, h);
}

function circle(paint: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  paint.beginPath();
  paint.arc(x, y, radius, 0, 2 * Math.PI);
  paint.stroke();
}

/** Columns of whole pixels that fill the width. */
function across<T>(parts: readonly T[], width: number, draw: (part: T, x: number, w: number) => void): void {
  parts.forEach((part, i) => {
    const x = Math.round((i * width) / parts.length);
    draw(part, x, Math.round(((i + 1) * width) / parts.length) - x);
  });
}

/** A line and its mirror image on the other side of the middle. */
function line(
  paint: CanvasRenderingContext2D,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  mirrorX: number,
  mirrorY = 0,
): void {
  paint.moveTo(x1, y1);
  paint.lineTo(x2, y2);
  paint.moveTo(mirrorX ? mirrorX - x1 : x1, mirrorY ? mirrorY - y1 : y1);
  paint.lineTo(mirrorX ? mirrorX - x2 : x2, mirrorY ? mirrorY - y2 : y2);
}

/** A pattern of four by four true pixels. */
function tile(paint: CanvasRenderingContext2D, isLight: (x: number, y: number) => boolean): CanvasPattern {
  const small = new OffscreenCanvas(4, 4);
  const dots = small.getContext('2d', { alpha: false })!;
  for (let y = 0; y < 4; y++)
    for (let x = 0; x < 4; x++) {
      dots.fillStyle = isLight(x, y) ? WHITE : BLACK;
      dots.fillRect(x, y, 1, 1);
    }
  return paint.createPattern(small, 'repeat')!;
}
