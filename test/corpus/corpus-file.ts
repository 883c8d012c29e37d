/** What the cloud says of a file that screens can show. */
export interface Accepted {
  readonly format: string;
  /** As shown. */
  readonly width: number;
  readonly height: number;
  /** Seconds; null for a picture. */
  readonly duration: number | null;
  /** The beginning of the codec of a video, as RFC 6381 writes it. */
  readonly codec: string | null;
  /** Shown without its hues. */
  readonly isGrey?: boolean;
}

/** Why the cloud refuses a file: `details.reason` and the message. */
export interface Refused {
  readonly reason: string;
  readonly message: string;
}

export interface CorpusFile {
  readonly name: string;
  readonly is: string;
  /** Where such files come from. */
  readonly from: string;
  readonly answer: Accepted | Refused;
}

export type Playable = CorpusFile & { readonly answer: Accepted };
