import {
  DEFAULT_DISPLAY,
  FITS,
  BACKGROUNDS,
  LANGUAGES,
  MAX_FADE_MS,
  ORIENTATIONS,
} from '../display-options.ts';
import * as z from 'zod/mini';
import { menuResponseMessage, menuRequestMessage } from './menu-messages.ts';
import { VIDEO_CODECS } from '../video-classes.ts';
import { networkInterface, connectivityStep } from './connectivity.ts';

/**
 * Messages between the runtime and the page on the loopback channel (WebSocket, JSON text).
 * Written with zod mini: the page bundles these schemas and loads them before the first picture.
 * The runtime decides what is shown; the page decides only the instant of the transition.
 * Both sides ignore unknown message types.
 */
export const STAGE_PROTOCOL = 1;

/** WebSocket close code: a newer page has the channel, and this one must not reconnect. */
export const CHANNEL_TAKEN_OVER = 4001;

/** A showing. `id` is the id of its future play. */
const stageShowing = z.object({
  id: z.string(),
  kind: z.enum(['image', 'video']),
  /** Path on the loopback server: `/media/<sha256>`. */
  url: z.string().check(z.startsWith('/')),
  /** Milliseconds on screen; null plays a video to its end. */
  duration_ms: z.nullable(z.number().check(z.positive())),
  /** Where the video track ends, in milliseconds; an audio track may be longer. Null when unknown or an image. */
  video_end_ms: z.nullable(z.number().check(z.positive())),
});

/** Shown on the pairing and idle screens; null means unknown. */
const screenInfo = z.object({
  server: z.string(),
  player_version: z.string(),
  serial: z.string(),
  interfaces: z.array(networkInterface),
  timezone: z.string(),
  /** Corrected wall clock of the runtime when the message was sent, in milliseconds since 1970. */
  now_ms: z.number(),
});

/** The overlay on the stage. With `stage` there is none and the current picture, if any, is visible. */
const screen = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('stage') }),
  /** Not paired; `code` is null until the cloud has issued one, and `problem` is the code of the fault, if any. */
  z.object({
    kind: z.literal('pairing'),
    code: z.nullable(z.string()),
    verification_url: z.nullable(z.string()),
    verification_url_complete: z.nullable(z.string()),
    expires_at_ms: z.nullable(z.number()),
    problem: z.nullable(z.string()),
    /** Connectivity check, as far as it is known. */
    steps: z.optional(z.array(connectivityStep)),
    info: screenInfo,
  }),
  /** Just paired: confirms with the name of the device. */
  z.object({ kind: z.literal('paired'), device_name: z.string() }),
  /** Paired, with nothing to show. */
  z.object({
    kind: z.literal('idle'),
    device_name: z.string(),
    /** Whether pictures of the screen may be taken from afar. */
    allows_screenshots: z.boolean(),
    info: screenInfo,
  }),
]);

const fadeMs = z.int().check(z.minimum(0), z.maximum(MAX_FADE_MS));

/** Runtime to page. */
export const toStageMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('screen'), screen }),
  /** Display settings from now on; missing ones are the default. */
  z.object({
    type: z.literal('configure'),
    orientation: z.enum(ORIENTATIONS),
    fit: z._default(z.enum(FITS), DEFAULT_DISPLAY.fit),
    background: z._default(z.enum(BACKGROUNDS), DEFAULT_DISPLAY.background),
    fade_ms: z._default(fadeMs, DEFAULT_DISPLAY.fade_ms),
    language: z._default(z.enum(LANGUAGES), DEFAULT_DISPLAY.language),
  }),
  /**
   * Prepare this showing in the hidden layer and respond `ready` or `failed`; it replaces any other prepared one.
   * `cut` says when it is shown: after the current one has ended, as soon as it is ready, or on `cut`.
   */
  z.object({
    type: z.literal('prepare'),
    showing: stageShowing,
    cut: z.enum(['after_current', 'when_ready', 'on_command']),
  }),
  /** Cut to the prepared showing now, or as soon as it is ready. */
  z.object({ type: z.literal('cut'), showing_id: z.string() }),
  /** Clear the stage (unpaired, or nothing is scheduled); the overlay covers it. */
  z.object({ type: z.literal('clear') }),
  /** Reload the page at the next transition. */
  z.object({ type: z.literal('reload') }),
  /** Every event up to and including this `seq` is stored: the page need not repeat it. */
  z.object({ type: z.literal('ack'), seq: z.int().check(z.positive()) }),
  menuResponseMessage,
]);

/** Why a showing could not be prepared or was interrupted. */
const stageFailure = z.enum(['not_found', 'decode_failed', 'unsupported', 'stalled', 'timeout']);

const agoMs = z.number().check(z.minimum(0));

/**
 * Number of an event, counted from 1 by each page. The page repeats unacknowledged events after every hello, so the
 * same one may arrive twice.
 */
const seq = z.optional(z.int().check(z.positive()));

/** What the browser reports about one kind of video, before it has played any. */
/** Whether the browser can decode a class of videos. */
const videoCapability = z.object({
  codec: z.enum(VIDEO_CODECS),
  /** Pages of earlier versions report videos of 8 bits and 30 frames a second. */
  bit_depth: z._default(z.int(), 8),
  /** Pixels. */
  width: z.int(),
  height: z.int(),
  frame_rate: z._default(z.number(), 30),
  supported: z.boolean(),
  smooth: z.boolean(),
  /** Usually in hardware. */
  power_efficient: z.boolean(),
});

/** Page to runtime. `ago_ms`: how long ago it happened when the message was sent, by the page's monotonic clock. */
export const fromStageMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.int(),
    /** New for each page load. */
    page_id: z.string(),
    /** The showing on the stage: a page that outlived the runtime keeps showing it. */
    current: z.nullable(z.object({ showing_id: z.string(), ago_ms: agoMs })),
  }),
  /** What the browser can decode: sent soon after each hello, because the browser needs a while to find out. */
  z.object({
    type: z.literal('capabilities'),
    videos: z.array(videoCapability),
    /** Pixels of the display that the page is on. */
    display: z.optional(z.object({ width: z.int(), height: z.int() })),
  }),
  z.object({ type: z.literal('ready'), showing_id: z.string() }),
  /** The first frame is on the screen. */
  z.object({ type: z.literal('started'), seq, showing_id: z.string(), ago_ms: agoMs }),
  /** It left the screen, or has ended and holds its last picture because nothing else is ready. */
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
  /** Every second, from the frame loop: the page is alive and renders. */
  z.object({ type: z.literal('beat'), frames: z.int(), dropped_frames: z.int() }),
  menuRequestMessage,
]);

export type StageShowing = z.infer<typeof stageShowing>;
export type ScreenInfo = z.infer<typeof screenInfo>;
export type Screen = z.infer<typeof screen>;
/** As sent. */
export type ToStageMessage = z.input<typeof toStageMessage>;
/** As parsed, with defaults filled in. */
export type ParsedToStageMessage = z.output<typeof toStageMessage>;
export type FromStageMessage = z.infer<typeof fromStageMessage>;
/** Instructions for the stage. */
export type StageCommand = Extract<ToStageMessage, { type: 'prepare' | 'cut' | 'clear' }>;
/** When a prepared showing is shown. */
export type CutTiming = Extract<StageCommand, { type: 'prepare' }>['cut'];
/** What the page reports about the stage. */
export type StageReport = Exclude<FromStageMessage, { type: 'menu_request' | 'capabilities' }>;
export type VideoCapability = z.infer<typeof videoCapability>;
export type StageFailure = z.infer<typeof stageFailure>;
