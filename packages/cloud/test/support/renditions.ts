/** The structural similarity that each frame of a rendition has at least, as in ADR 0055. */
export const LEAST_SSIM = 0.95;

/** Limits of a process that makes renditions: at the lowest priority a test would take minutes while others run. */
export const NOT_NICER = { nicer: 0 };
