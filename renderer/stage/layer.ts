import type { DisplayOptions } from './display-options.ts';

/**
 * One of the two fixed layers of the stage. Its elements are created once and reused: creating and removing videos
 * leaks memory in every engine.
 */
export interface Layer {
  readonly root: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly image: HTMLImageElement;
  readonly video: HTMLVideoElement;
  /** Fills the area beside the media. */
  readonly background: HTMLCanvasElement;
  readonly display: Readonly<DisplayOptions>;
  /** The element that is shown, if any, and its aspect ratio. */
  readonly content: { element: PictureElement; ratio: number } | null;
  /** Shows only this element of the layer, with this aspect ratio. */
  showElement(element: PictureElement | null, size?: { width: number; height: number }): void;
  /**
   * Puts the layer above the other one (true) or below it. It is always painted and opaque, except during a fade,
   * when it fades in over the unchanged layer below. Resolves when the fade is complete or reverted.
   */
  setOnTop(onTop: boolean, fadeMs?: number): Promise<void>;
}

export type PictureElement = HTMLCanvasElement | HTMLImageElement | HTMLVideoElement;

export function createLayer(parent: HTMLElement, display: Readonly<DisplayOptions>): Layer {
  const root = document.createElement('div');
  root.className = 'layer';
  const background = document.createElement('canvas');
  background.className = 'background';
  const canvas = document.createElement('canvas');
  const image = document.createElement('img');
  const video = document.createElement('video');
  video.playsInline = true;
  video.disablePictureInPicture = true;
  video.disableRemotePlayback = true;
  for (const each of [canvas, image, video]) {
    each.className = 'picture';
  }
  root.append(background, canvas, image, video);
  parent.append(root);
  let content: Layer['content'] = null;
  let fade: Animation | null = null;

  const layer: Layer = {
    root,
    canvas,
    image,
    video,
    background,
    display,
    get content() {
      return content;
    },
    showElement(element, { width, height } = { width: 16, height: 9 }) {
      const ratio = width / height;
      content = element && { element, ratio };
      for (const each of [canvas, image, video]) {
        each.hidden = each !== element;
      }
      background.hidden = element === null;
      root.style.setProperty('--ratio', String(ratio));
    },
    async setOnTop(onTop, fadeMs = 0) {
      fade?.cancel();
      fade = onTop && fadeMs > 0 ? root.animate({ opacity: [0, 1] }, fadeMs) : null;
      root.classList.toggle('above', onTop);
      await fade?.finished.catch(() => {});
    },
  };
  layer.showElement(null);
  void layer.setOnTop(false);
  return layer;
}
