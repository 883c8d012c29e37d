/** A system that the player is installed on, as its document describes it. */
export interface System {
  /** Release of Debian. */
  readonly suite: 'bookworm' | 'trixie';
  readonly arch: 'amd64' | 'arm64';
  /** What draws there. */
  readonly display: 'x11' | 'wayland';
  readonly document: 'install-linux.md' | 'install-raspberry-pi.md';
}

export const SYSTEM_NAMES = ['debian12', 'debian13', 'debian13-arm64'] as const;
export type SystemName = (typeof SYSTEM_NAMES)[number];

export const SYSTEMS: Readonly<Record<SystemName, System>> = {
  debian12: { suite: 'bookworm', arch: 'amd64', display: 'x11', document: 'install-linux.md' },
  debian13: { suite: 'trixie', arch: 'amd64', display: 'wayland', document: 'install-linux.md' },
  'debian13-arm64': {
    suite: 'trixie',
    arch: 'arm64',
    display: 'wayland',
    document: 'install-raspberry-pi.md',
  },
};
