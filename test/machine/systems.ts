/** A system that the player is installed on, as its document describes it. */
export interface System {
  /** Release of Debian. */
  readonly suite: 'bookworm' | 'trixie';
  readonly arch: 'amd64' | 'arm64';
  /** Type of the display server. */
  readonly display: 'x11' | 'wayland';
  /**
   * QEMU's name of the graphics card. With a virtio card, software rendering of labwc never reaches the screen (QEMU 7.2,
   * wlroots 0.18: the plane is set but the picture stays black).
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
