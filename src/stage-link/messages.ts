import { DEFAULT_DISPLAY, FITS, GROUNDS, LANGUAGES, LONGEST_FADE_MS, ORIENTATIONS } from '@placard/protocol';
import * as z from 'zod/mini';
import { menuAnswerMessage, menuRequestMessage } from './menu-messages.ts';
import { networkInterface, wayStep } from './way-to-cloud.ts';

export * from './menu-messages.ts';
export * from './way-to-cloud.ts';

/**
 * What the runtime and the page say to each other over the loopback channel (WebSocket, JSON text).
 * In the small form of zod: the page carries these schemas, and all of it is read before the first picture.
 * The runtime decides what is shown; the page decides nothing but the instant of the cut.
 * Both sides ignore message types that they do not know.
 */
export const STAGE_PROTOCOL = 1;

/** WebSocket close code that tells a page to be quiet for good: a newer one has the channel. */
export const CHANNEL_TAKEN_OVER = 4001;

/** One item made ready for the screen. `id` is the id of the play it will become. */
export const showing = z.object({
  id: z.string(),
  kind: z.enum(['image', 'video']),
  /** Path on the loopback server: `/media/<sha256>`. */
  url: z.string().check(z.startsWith('/')),
  /** Milliseconds on screen; null lets a video run to its natural end. */
  duration_ms: z.nullable(z.number().check(z.positive())),
  /** Where the video track ends, in milliseconds; an audio track may be longer. Null when unknown or an image. */
  video_end_ms: z.nullable(z.number().check(z.positive())),
});

/** Facts shown on the pairing and idle screens; null means unknown. */
export const screenFacts = z.object({
  server: z.string(),
  player_version: z.string(),
  serial: z.string(),
  interfaces: z.array(networkInterface),
  timezone: z.string(),
  /** Corrected wall clock of the runtime when the message was sent, in milliseconds since 1970. */
  now_ms: z.number(),
});

/** What lies over the stage. `stage` means nothing does: the current picture, whatever it is, stays. */
export const screen = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stage') }),
  /** Not paired; `code` is null until the cloud has given one, and `problem` is the code of the fault, if any. */
  z.object({
    kind: z.literal('pairing'),
    code: z.nullable(z.string()),
    verification_url: z.nullable(z.string()),
    verification_url_complete: z.nullable(z.string()),
    expires_at_ms: z.nullable(z.number()),
    problem: z.nullable(z.string()),
    /** The way to the cloud, as far as it is known. */
    steps: z.optional(z.array(wayStep)),
    facts: screenFacts,
  }),
  /** Just paired: confirms with the name of the device. */
  z.object({ kind: z.literal('paired'), device_name: z.string() }),
  /** Paired, with nothing to show. */
  z.object({ kind: z.literal('idle'), device_name: z.string(), facts: screenFacts }),
]);

const fadeMs = z.int().check(z.minimum(0), z.maximum(LONGEST_FADE_MS));

/** Runtime to page. */
export const toStage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('screen'), screen }),
  /** How everything is shown from now on; what is left out is the default. */
  z.object({
    type: z.literal('configure'),
    orientation: z.enum(ORIENTATIONS),
    fit: z._default(z.enum(FITS), DEFAULT_DISPLAY.fit),
    ground: z._default(z.enum(GROUNDS), DEFAULT_DISPLAY.ground),
    fade_ms: z._default(fadeMs, DEFAULT_DISPLAY.fade_ms),
    language: z._default(z.enum(LANGUAGES), DEFAULT_DISPLAY.language),
  }),
  /**
   * Prepare this showing in the spare layer and answer `ready` or `failed`; it replaces any other prepared one.
   * `cut` says when it takes over: after the current one is through, as soon as it is ready, or on `cut`.
   */
  z.object({
    type: z.literal('prepare'),
    showing,
    cut: z.enum(['after_current', 'when_ready', 'on_command']),
  }),
  /** Cut to the prepared showing now, or as soon as it is ready. */
  z.object({ type: z.literal('cut'), showing_id: z.string() }),
  /** Take everything off the stage (unpaired, or nothing is scheduled); the overlay covers it. */
  z.object({ type: z.literal('clear') }),
  /** Load the page again at the next cut. */
  z.object({ type: z.literal('reload') }),
  /** Every event up to and including this `seq` is written down: the page need not tell it again. */
  z.object({ type: z.literal('ack'), seq: z.int().check(z.positive()) }),
  menuAnswerMessage,
]);

/** Why a showing could not be prepared or did not go on. */
export const stageFailure = z.enum(['not_found', 'decode_failed', 'unsupported', 'stalled', 'timeout']);

const agoMs = z.number().check(z.minimum(0));

/**
 * Number of an event, counted from 1 by each page. The page tells the event again after every hello until it is
 * acknowledged, so the same one may come twice.
 */
const seq = z.optional(z.int().check(z.positive()));

/** What the browser of this page says about one kind of video, before it has seen any. */
export const videoCapability = z.object({
  codec: z.enum(['h264', 'hevc', 'vp9', 'av1']),
  /** Pixels. */
  width: z.int(),
  height: z.int(),
  supported: z.boolean(),
  /** At 30 frames a second. */
  smooth: z.boolean(),
  /** In hardware, as a rule. */
  power_efficient: z.boolean(),
});

/** Page to runtime. `ago_ms`: how long ago it happened when the message was sent, by the page's monotonic clock. */
export const fromStage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.int(),
    /** Made once per page load. */
    page_id: z.string(),
    /** What is on the stage: a page that outlived the runtime goes on with it. */
    current: z.nullable(z.object({ showing_id: z.string(), ago_ms: agoMs })),
    /** Prepared and waiting. */
    prepared: z.nullable(z.string()),
    width: z.int(),
    height: z.int(),
  }),
  /** What the browser can decode: soon after each hello, for it takes the browser a while to say. */
  z.object({ type: z.literal('capabilities'), videos: z.array(videoCapability) }),
  z.object({ type: z.literal('ready'), showing_id: z.string() }),
  /** The first frame is on the screen. */
  z.object({ type: z.literal('started'), seq, showing_id: z.string(), ago_ms: agoMs }),
  /** It left the screen, or is through and holds its last picture because nothing else is ready. */
  z.object({
    type: z.literal('ended'),
    seq,
    showing_id: z.string(),
    ago_ms: agoMs,
    /** Milliseconds on screen. */
    shown_ms: z.number().check(z.minimum(0)),
    outcome: z.enum(['completed', 'interrupted', 'failed']),
    reason: z.nullable(z.string()),
  }),
  /** It never reached the screen. */
  z.object({
    type: z.literal('failed'),
    seq,
    showing_id: z.string(),
    reason: stageFailure,
    detail: z.string(),
  }),
  /** Every second, from the frame loop: the page is alive and draws. */
  z.object({ type: z.literal('beat'), frames: z.int(), dropped_frames: z.int() }),
  menuRequestMessage,
]);

export type Showing = z.infer<typeof showing>;
export type ScreenFacts = z.infer<typeof screenFacts>;
export type Screen = z.infer<typeof screen>;
/** As it is sent. */
export type ToStage = z.input<typeof toStage>;
/** As it is read: what was left out is filled in. */
export type HeardByStage = z.output<typeof toStage>;
export type FromStage = z.infer<typeof fromStage>;
export type VideoCapability = z.infer<typeof videoCapability>;
export type StageFailure = z.infer<typeof stageFailure>;
