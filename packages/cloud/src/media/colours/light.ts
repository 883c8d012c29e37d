// Light and signals of videos. The unit of light is that of white paper in HDR, unless a name says cd/m².

/** Light of white paper and text in HDR (ITU-R BT.2408), cd/m². */
const WHITE_NITS = 203;
/** The brightest light that a copy tells from less, cd/m²: that of the display which HLG is defined for. */
const PEAK_NITS = 1000;
export const PEAK_LIGHT = PEAK_NITS / WHITE_NITS;

/** Of a display without HDR (ITU-R BT.1886). */
export const DISPLAY_GAMMA = 2.4;
/** By which HLG makes light of a scene to light of a display (ITU-R BT.2100). */
export const HLG_SYSTEM_GAMMA = 1.2;

/** Where light begins to be compressed, see `compressLight`. */
const KNEE_SLOPE = 1.5;

/** Light of a signal in PQ (SMPTE ST 2084). */
export const lightOfPq = (signal: number): number => nitsOfPq(signal) / WHITE_NITS;

/** Light of a scene in HLG (ITU-R BT.2100), from 0 to 1. */
export const sceneOfHlg = (signal: number): number =>
  signal <= 0.5 ? signal ** 2 / 3 : (Math.exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12;

/**
 * Light of HDR on a display without it: up to about 0.4 it stays as it is, more is compressed so that `PEAK_LIGHT` becomes 1
 * (ITU-R BT.2390, 5.4.1).
 */
export function compressLight(light: number): number {
  const peak = pqOfNits(PEAK_NITS);
  const most = pqOfNits(WHITE_NITS) / peak;
  const knee = KNEE_SLOPE * most - (KNEE_SLOPE - 1);
  const signal = Math.min(1, pqOfNits(light * WHITE_NITS) / peak);
  if (signal <= knee) {
    return light;
  }
  const t = (signal - knee) / (1 - knee);
  const bent =
    (2 * t ** 3 - 3 * t ** 2 + 1) * knee +
    (t ** 3 - 2 * t ** 2 + t) * (1 - knee) +
    (3 * t ** 2 - 2 * t ** 3) * most;
  return nitsOfPq(bent * peak) / WHITE_NITS;
}

const [M1, M2, C1, C2, C3] = [0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875];

function nitsOfPq(signal: number): number {
  const power = signal ** (1 / M2);
  return 10_000 * (Math.max(0, power - C1) / (C2 - C3 * power)) ** (1 / M1);
}

function pqOfNits(nits: number): number {
  const power = (nits / 10_000) ** M1;
  return ((C1 + C2 * power) / (1 + C3 * power)) ** M2;
}
