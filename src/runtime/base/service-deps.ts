import type { ToStageMessage } from '@placard/protocol/stage';
import type {
  Clock,
  CloudLink,
  DeviceLink,
  Log,
  Machine,
  MediaCache,
  PackageUpdater,
  PinVerifier,
  PlayerDatabase,
  Random,
  SupportBundle,
  Telemetry,
} from '../../core/ports.ts';
import type { PlayerState } from './player-state.ts';
import type { Wakeup } from './wakeup.ts';

/** The outside world of a runtime. */
export interface Ports {
  clock: Clock;
  random: Random;
  database: PlayerDatabase;
  media: MediaCache;
  cloud: CloudLink;
  telemetry: Telemetry;
  machine: Machine;
  updater: PackageUpdater;
  pinVerifier: PinVerifier;
  supportBundle: SupportBundle;
  stage: { send(message: ToStageMessage): void };
  log: Log;
}

/** What services are made from; each picks its part. */
export interface ServiceDeps extends Ports {
  link: DeviceLink;
  playerState: PlayerState;
  /** Ends the waits of this service. */
  wakeup: Wakeup;
  /** URL of the cloud. */
  server: string;
  playerVersion: string;
  /** IANA zone of the device or its organization. */
  timezone(): string;
  onCachedMediaChange(cached: ReadonlySet<string>): void;
  /** The cloud has unpaired this player. */
  onUnpaired(): void;
  reloadPage(): void;
  /** Asks the shell to end; what started the shell then starts it again. */
  restartPlayer(): void;
}
