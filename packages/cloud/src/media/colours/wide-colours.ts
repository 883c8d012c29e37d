/** How a video stores colours that a screen without HDR does not have. */
export interface WideColours {
  transfer: 'pq' | 'hlg' | 'gamma';
  primaries: 'bt2020' | 'p3' | 'bt709';
  matrix: 'bt2020' | 'bt709' | 'bt601';
  fullRange: boolean;
}

/** As container or frames tell them, by the names of WebCodecs. */
export interface ToldColours {
  transfer?: string | null | undefined;
  primaries?: string | null | undefined;
  matrix?: string | null | undefined;
  fullRange?: boolean | null | undefined;
}

/**
 * The colours of frames that FFmpeg has scaled. mediabunny does not tell its scaler the matrix of frames; where they tell one
 * themselves it makes that of BT.601 of it, and of full range limited range, unless the scaled frames tell full range.
 */
export const scaledColours = (wide: WideColours, frame: ToldColours): WideColours => ({
  ...wide,
  ...(typeof frame.matrix === 'string' && { matrix: 'bt601' }),
  ...(typeof frame.fullRange === 'boolean' && { fullRange: false }),
});

/** What the frames tell, else the container. */
export const mergeColours = (frame: ToldColours, container: ToldColours): ToldColours => ({
  transfer: frame.transfer ?? container.transfer,
  primaries: frame.primaries ?? container.primaries,
  matrix: frame.matrix ?? container.matrix,
  fullRange: frame.fullRange ?? container.fullRange,
});

/** Null for colours that every screen has. What the first one does not tell, the second one may. */
export function toWideColours(frame: ToldColours, container: ToldColours): WideColours | null {
  const { transfer, primaries, matrix, fullRange } = mergeColours(frame, container);
  const isHdr = transfer === 'pq' || transfer === 'hlg';
  if (!isHdr && primaries !== 'bt2020' && primaries !== 'smpte432' && matrix !== 'bt2020-ncl') {
    return null;
  }
  const known = PRIMARIES[primaries ?? ''] ?? 'bt2020';
  return {
    transfer: isHdr ? transfer : 'gamma',
    primaries: known,
    matrix: MATRICES[matrix ?? ''] ?? (known === 'bt2020' ? 'bt2020' : 'bt709'),
    fullRange: fullRange ?? false,
  };
}

const PRIMARIES: Record<string, WideColours['primaries']> = {
  bt2020: 'bt2020',
  smpte432: 'p3',
  bt709: 'bt709',
  // As good as those of BT.709.
  bt470bg: 'bt709',
  smpte170m: 'bt709',
};

const MATRICES: Record<string, WideColours['matrix']> = {
  'bt2020-ncl': 'bt2020',
  bt709: 'bt709',
  bt470bg: 'bt601',
  smpte170m: 'bt601',
};
