import { FAULTS } from '@placard/protocol';
import type { FaultCode, Orientation } from '@placard/protocol';
import type { ConnectivityHint, ConnectivityStep } from '@placard/protocol/stage';

/** Values inserted into a hint. */
export interface HintDetails {
  /** Name of the server, with its port. */
  host: string;
  /** The date on the device's clock, written out. */
  date: string;
}

/**
 * Every text on the screen. The other languages have this type, so a missing text does not compile. The escapes are
 * non-breaking hyphens and spaces.
 */
export const english = {
  starting: 'Starting',
  pairing: {
    title: 'Pair this screen',
    withPhone: 'Scan with your phone',
    /** The address is shown between these two. */
    beforeAddress: 'or open ',
    afterAddress: ' and enter this code',
    renewsIn: (clock: string) => `New code in ${clock}`,
    waiting: 'Waiting for a code',
    waitingHint: 'This screen requests one from the server automatically.',
  },
  paired: {
    title: 'Paired',
    ready: 'This screen is downloading its media.',
  },
  idle: {
    nothing: 'Nothing is scheduled right now',
    screenshotsAllowed: 'Screenshots of this screen can be taken remotely',
    screenshotsForbidden: 'No screenshots of this screen are taken',
  },
  playerInfo: {
    server: 'Server',
    version: 'Version',
    serial: 'Serial',
    network: 'Network',
    noNetwork: 'No network connection',
    wired: 'cable',
    wireless: 'Wi\u2011Fi',
  },
  connectivity: {
    steps: {
      link: 'Network',
      address: 'Address',
      dns: 'DNS',
      server: 'Server',
      clock: 'Clock',
    } satisfies Record<Exclude<ConnectivityStep['step'], 'tls'>, string>,
    /** For screen readers, in place of the icons. */
    states: { ok: 'OK', failed: 'failed', waiting: 'not checked yet' } satisfies Record<
      ConnectivityStep['state'],
      string
    >,
    hints: {
      no_link: () => 'This device has no network connection. Plug in the cable or join a Wi\u2011Fi network.',
      no_address: () =>
        'The network assigns no address to this device. Check the router (DHCP) or set a fixed address.',
      name_not_found: ({ host }) =>
        `The name ${host} cannot be resolved. Check the server address and the DNS of this network.`,
      connection_refused: ({ host }) =>
        `${host} refuses the connection. Check that the cloud is running and that the port is correct.`,
      no_route: ({ host }) =>
        `There is no route from this network to ${host}. Check the gateway and the firewall.`,
      no_answer: ({ host }) => `${host} does not respond. Check the server address and the firewall.`,
      certificate: ({ host }) =>
        `The certificate of ${host} is not trusted. Check the certificate, and the date and time of this device.`,
      clock_wrong: ({ date }) =>
        `The clock of this device says ${date}, so no certificate is valid. Set the date and time.`,
      not_placard: ({ host }) =>
        `${host} responds, but is not a Placard cloud. Check the server address, and whether this network requires a log-in page.`,
      refused: ({ host }) =>
        `${host} rejects the request. Check the server address, and that the cloud is up to date.`,
      busy: ({ host }) => `${host} asks this screen to wait. This screen retries automatically.`,
      server_error: ({ host }) => `${host} reports an internal error. This screen retries automatically.`,
    } satisfies Record<ConnectivityHint, (facts: HintDetails) => string> as Record<
      ConnectivityHint,
      (facts: HintDetails) => string
    >,
  },
  fault: (code: FaultCode): string => FAULTS[code],
  menu: {
    title: 'Technician menu',
    back: 'Back',
    close: 'Close',
    cancel: 'Cancel',
    loading: 'One moment …',
    refresh: 'Refresh',
    unknown: 'unknown',
    noResponse: 'The player does not respond. Try again in a moment.',
    cloudUnreachable:
      'The cloud cannot be reached, so the media could not be downloaded again. Check the network first.',
    notPossible: (why: string) => `This failed: ${why}`,
    readOnly:
      'No PIN is set for this screen, so the menu is read-only. Set a PIN in the device configuration in the cloud, or during installation.',
    pin: {
      title: 'Enter the PIN',
      digits: (count: number) => `${count} digits entered`,
      enter: 'OK',
      erase: 'Erase',
      wrong: 'Wrong PIN.',
      locked: (clock: string) => `Too many wrong PINs. Try again in ${clock}.`,
    },
    network: {
      title: 'Network test',
      ok: 'The connection to the server works.',
      responseTime: 'Response time',
      milliseconds: (count: string) => `${count} ms`,
      clockOffset: 'Clock offset',
      seconds: (count: string) => `${count} s`,
    },
    playing: {
      title: 'Now playing',
      now: 'On screen',
      next: 'Next',
      nothing: 'nothing',
      playlist: 'Playlist',
      reason: 'Reason',
      schedule: (name: string) => `schedule “${name}”`,
      deployment: 'deployed playlist',
      none: 'nothing scheduled or deployed',
      since: 'Since',
      until: 'Until',
      kinds: { image: 'image', video: 'video' },
      cloud: 'Cloud',
      connections: { online: 'connected', offline: 'not connected', connecting: 'connecting' },
      contentStatus: 'Content',
      current: 'up to date',
      loading: 'downloading an update',
    },
    cache: {
      title: 'Cache',
      used: 'Used',
      limit: 'Limit',
      noLimit: 'disk size only',
      free: 'Free disk space',
      files: 'Files',
      missing: 'Missing files',
    },
    faults: {
      title: 'Faults',
      none: 'No faults.',
      since: (time: string) => `since ${time}`,
    },
    pattern: {
      title: 'Test pattern',
      keys: 'Arrow keys or tap: next. Back: close.',
      kinds: { geometry: 'Geometry', colours: 'Colours', lines: '1-pixel lines', motion: 'Motion' },
    },
    orientation: {
      title: 'Orientation',
      note: 'Your choice applies to this device only, until “Follow the cloud” is selected again.',
      cloud: 'Follow the cloud',
      kinds: {
        landscape: 'Landscape',
        portrait: 'Portrait',
        'landscape-flipped': 'Landscape, upside down',
        'portrait-flipped': 'Portrait, upside down',
      } satisfies Record<Orientation, string>,
    },
    logs: {
      title: 'Save logs',
      question:
        'Save logs and status, without secrets, to the disk of this device, and to a USB stick if one is plugged in?',
      confirm: 'Save',
      saved: 'Saved to:',
    },
    clearCache: {
      title: 'Clear cache',
      question:
        'Delete all stored media? The current picture stays until the media have been downloaded again.',
      confirm: 'Delete',
      done: 'The cache was cleared. The media are downloaded again.',
    },
    rePair: {
      title: 'Pair again',
      question:
        'Remove this pairing? The screen shows a new code and plays nothing until it is paired again.',
      confirm: 'Remove',
      done: 'A new code appears in a moment.',
    },
    restart: {
      title: 'Restart player',
      question: 'Restart the player? The picture returns after a few seconds.',
      confirm: 'Restart',
      done: 'The player is restarting.',
    },
    reboot: {
      title: 'Reboot device',
      question: 'Reboot this device? The screen stays dark for about a minute.',
      confirm: 'Reboot',
      done: 'The device is rebooting.',
    },
  },
};

export type Strings = typeof english;
