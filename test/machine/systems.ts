/** A system that the player is installed on, as its document describes it. */
export interface System {
  /** Release of Debian. */
  readonly suite: 'bookworm' | 'trixie';
  readonly arch: 'amd64' | 'arm64';
  /** What draws there. */
  readonly display: 'x11' | 'wayland';
  /**
   * Graphics card as QEMU calls it. What labwc draws in software never reaches the picture of a virtio card (QEMU 7.2,
   * wlroots 0.18: the plane is set and the picture stays black).
   */
  readonly graphics: string;
  readonly document: 'install-linux.md' | 'install-raspberry-pi.md';
}

export const SYSTEM_NAMES = ['debian12', 'debian13', 'debian13-arm64'] as const;
export type SystemName = (typeof SYSTEM_NAMES)[number];

export const SYSTEMS: Readonly<Record<SystemName, System>> = {
  debian12: {
    suite: 'bookworm',
    arch: 'amd64',
    display: 'x11',
    graphics: 'virtio-vga',
    document: 'install-linux.md',
  },
  debian13: {
    suite: 'trixie',
    arch: 'amd64',
    display: 'wayland',
    graphics: 'VGA,vgamem_mb=32',
    document: 'install-linux.md',
  },
  'debian13-arm64': {
    suite: 'trixie',
    arch: 'arm64',
    display: 'wayland',
    graphics: 'bochs-display',
    document: 'install-raspberry-pi.md',
  },
};
