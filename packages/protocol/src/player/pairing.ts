import { z } from 'zod';
import { deviceType, timestamp, wireId } from '../primitives.ts';
import { hardware } from './hardware.ts';

/** In the last minute of a session the same device gets the next session; both are valid until the first ends. */
export const PAIRING_RENEWAL_MS = 60_000;

/** As shown on the screen: `BCD-FGH`. */
export const pairingCode = z
  .string()
  .regex(/^[BCDFGHJKLMNPQRSTVWXZ]{3}-[BCDFGHJKLMNPQRSTVWXZ]{3}$/, 'must look like BCD-FGH');

/** `POST /v1/player/pairing`: a device asks for a code. No token is needed. */
export const pairingStartRequest = z.object({
  /** Identifies the device; asking again returns its open session. */
  serial: z.string().min(1).max(200),
  /** Operating platform: `linux`, `linux-arm64`, `windows`, … */
  platform: z.string().min(1).max(50),
  player_version: z.string().min(1).max(50),
  /** A type that only a newer player knows becomes `other`. */
  type: deviceType.catch('other').optional(),
  model: z.string().max(200).optional(),
  hostname: z.string().max(253).optional(),
  hardware: hardware.optional(),
  /**
   * Made by the device at its first start and shared only with the cloud: serial and secret identify the session.
   * Older players have none; serial and IP address identify theirs.
   */
  screen_secret: z
    .string()
    .max(200)
    .regex(/^[\w-]{32,200}$/, 'must be 32 to 200 letters, digits, - or _')
    .optional(),
});

export const pairingStartResponse = z.object({
  pairing_id: wireId,
  /** The secret that this device polls with. */
  poll_token: z.string().max(200),
  code: pairingCode,
  /** Where an operator types the code. */
  verification_url: z.url().max(2000),
  /** The same with the code filled in, for the QR code. */
  verification_url_complete: z.url().max(2000),
  expires_at: timestamp,
  /** Seconds between polls. */
  interval: z.int().min(1).max(3600),
});

/** `POST /v1/player/pairing/{id}/token`: 202 until somebody has confirmed the code, then 200 with the token. */
export const pairingTokenRequest = z.object({ poll_token: z.string().min(1).max(200) });
export const pairingTokenResponse = z.object({ device_id: wireId, device_token: z.string().max(500) });
/** The body of the 202. */
export const pairingPendingResponse = z.object({ status: z.string().max(50), interval: z.int().max(3600) });

export type PairingStartRequest = z.infer<typeof pairingStartRequest>;
export type PairingStartResponse = z.infer<typeof pairingStartResponse>;
