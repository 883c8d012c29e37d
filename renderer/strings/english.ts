import { FAULTS } from '@placard/protocol';
import type { FaultCode, Orientation } from '@placard/protocol';
import type { ConnectivityHint, ConnectivityStep } from '../../src/stage-link/messages.ts';

/** What a hint speaks of. */
export interface HintDetails {
  /** Name of the server, with its port. */
  host: string;
  /** Day that this box believes in, written out. */
  date: string;
}

/**
 * Every word on the screen. The other languages are objects of this shape, so a missing text does not compile.
 * Escapes are hyphens and spaces at which no line may end.
 */
export const english = {
  starting: 'Starting',
  pairing: {
    title: 'Pair this screen',
    withPhone: 'Scan with your phone',
    /** The address stands between these two. */
    beforeAddress: 'or open ',
    afterAddress: ' and enter this code',
    renewsIn: (clock: string) => `A new code in ${clock}`,
    waiting: 'Waiting for a code',
    waitingHint: 'The screen asks the server for one by itself.',
  },
  paired: {
    title: 'Paired',
    ready: 'This screen gets its first pictures now.',
  },
  idle: {
    nothing: 'Nothing is scheduled right now',
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
    /** Read out instead of the signs. */
    states: { ok: 'works', failed: 'fails', waiting: 'not known yet' } satisfies Record<
      ConnectivityStep['state'],
      string
    >,
    hints: {
      no_link: () => 'This box has no network. Plug in the cable or join a Wi\u2011Fi network.',
      no_address: () =>
        'The network gives this box no address. Check the router (DHCP) or set a fixed address.',
      name_not_found: ({ host }) =>
        `The name ${host} cannot be found. Check the server address, and the DNS of this network.`,
      connection_refused: ({ host }) =>
        `${host} refuses the connection. Check that the cloud runs and that the port is right.`,
      no_route: ({ host }) =>
        `There is no way from this network to ${host}. Check the gateway and the firewall.`,
      no_answer: ({ host }) =>
        `${host} does not answer. Check the server address, and that a firewall lets it through.`,
      certificate: ({ host }) =>
        `The certificate of ${host} is not accepted. Check it, and the date and time of this box.`,
      clock_wrong: ({ date }) =>
        `This box believes that it is ${date}, so no certificate is valid. Set its date and time.`,
      not_placard: ({ host }) =>
        `${host} answers, but is no Placard cloud. Check the server address; a Wi\u2011Fi log-in page may be in the way.`,
      refused: ({ host }) =>
        `${host} refuses the request. Check the server address, and that the cloud is up to date.`,
      busy: ({ host }) => `${host} asked this screen to slow down. It tries again by itself.`,
      server_error: ({ host }) => `${host} has trouble of its own. This screen tries again by itself.`,
    } satisfies Record<ConnectivityHint, (facts: HintDetails) => string> as Record<
      ConnectivityHint,
      (facts: HintDetails) => string
    >,
  },
  fault: (code: FaultCode): string => FAULTS[code].help,
  menu: {
    title: 'Technician menu',
    back: 'Back',
    close: 'Close',
    cancel: 'Cancel',
    loading: 'One moment',
    refresh: 'Once more',
    unknown: 'unknown',
    noResponse: 'The player does not answer just now. Try again in a moment.',
    cloudUnreachable: 'The cloud cannot be reached just now, so nothing could be loaded again.',
    notPossible: (why: string) => `That was not possible. ${why}`,
    readOnly:
      'No PIN is set for this screen, so the menu only shows and changes nothing. Set one in the configuration of the device, or at installation.',
    pin: {
      title: 'Enter the PIN',
      digits: (count: number) => `${count} digits entered`,
      enter: 'OK',
      erase: 'Erase',
      wrong: 'This PIN is wrong.',
      locked: (clock: string) => `Too many wrong PINs. Try again in ${clock}.`,
    },
    network: {
      title: 'Network test',
      ok: 'The way to the server holds.',
      responseTime: 'Answer after',
      milliseconds: (count: string) => `${count} ms`,
      clockOffset: 'Clock off by',
      seconds: (count: string) => `${count} s`,
    },
    playing: {
      title: 'Now playing',
      now: 'On the screen',
      next: 'Next',
      nothing: 'nothing',
      playlist: 'Playlist',
      reason: 'Because',
      schedule: (name: string) => `schedule “${name}”`,
      deployment: 'deployed to this screen',
      none: 'nothing is scheduled or deployed',
      since: 'Since',
      until: 'Until',
      kinds: { image: 'image', video: 'video' },
      cloud: 'Cloud',
      connections: { online: 'connected', offline: 'not connected', connecting: 'connecting' },
      contentStatus: 'Programme',
      current: 'up to date',
      loading: 'a newer one is being loaded',
    },
    cache: {
      title: 'Cache',
      used: 'Used',
      limit: 'Limit',
      noLimit: 'none but the disk',
      free: 'Free on the disk',
      files: 'Files',
      missing: 'Files still missing',
    },
    faults: {
      title: 'Faults',
      none: 'There are no faults.',
      since: (time: string) => `since ${time}`,
    },
    pattern: {
      title: 'Test picture',
      keys: 'Arrow keys or a tap: the next one. Back: the end.',
      kinds: { geometry: 'Geometry', colours: 'Colours', lines: '1-pixel lines', motion: 'Motion' },
    },
    orientation: {
      title: 'Orientation',
      note: 'A choice holds on this box alone, until it follows the cloud again.',
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
        'Logs and status, without secrets, are written to the disk of this box, and to a USB stick if one is plugged in.',
      confirm: 'Save',
      saved: 'Saved:',
    },
    clearCache: {
      title: 'Clear cache',
      question: 'Erase all kept media? What is on the screen stays until its media have been loaded again.',
      confirm: 'Erase',
      done: 'The cache was cleared and fills itself again.',
    },
    rePair: {
      title: 'Pair again',
      question: 'Forget this pairing? The screen shows a new code and plays nothing until it is paired.',
      confirm: 'Forget',
      done: 'A new code appears in a moment.',
    },
    restart: {
      title: 'Restart player',
      question: 'Restart the player? The picture is back after a few seconds.',
      confirm: 'Restart',
      done: 'The player restarts.',
    },
    reboot: {
      title: 'Reboot box',
      question: 'Reboot this box? The screen stays dark for about a minute.',
      confirm: 'Reboot',
      done: 'The box reboots.',
    },
  },
};

export type Strings = typeof english;
