import type { Showing } from '../../core/playback/plays.ts';
import type { PlayerStateFields } from './player-state.ts';

/**
 * The current showing when it is not of the active playlist, which cannot be shown (see `faults`) or is still being
 * prepared; null otherwise.
 */
export const findKeptShowing = ({ current, activePlaylist }: Readonly<PlayerStateFields>): Showing | null =>
  current !== null && current.showing.playlistId !== activePlaylist?.playlistId ? current.showing : null;
