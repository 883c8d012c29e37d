/** The longer and the shorter side of a video of kind `h264_1080p30`, in pixels. */
export const VIDEO_BOX = { long: 1920, short: 1080 };
/** Its frames per second: somewhat more than 30, which some files only nearly have. */
export const MAX_FRAME_RATE = 30.5;
/** Pixels of the longer side of a picture of kind `still_3840`: screens show no more. */
export const STILL_PIXELS = 3840;
