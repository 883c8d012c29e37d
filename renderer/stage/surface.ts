import type { Look } from './look.ts';

/**
 * One of the two fixed layers of the stage. Its elements are made once and used again: making and removing
 * videos leaks memory in every engine.
 */
export interface Surface {
  readonly root: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly image: HTMLImageElement;
  readonly video: HTMLVideoElement;
  /** What is seen beside the picture. */
  readonly ground: HTMLCanvasElement;
  readonly look: Readonly<Look>;
  /** The element that is shown, if any, and its width by its height. */
  readonly shown: { element: Picturing; ratio: number } | null;
  /** Shows this element of the layer, in its shape, and no other. */
  use(element: Picturing | null, size?: { width: number; height: number }): void;
  /**
   * Above the other layer (true) or under it. It is always painted and never transparent, but for the time of a
   * fade: then it comes up through the layer below, which stays as it is. Resolves when it is there, or is
   * taken back before.
   */
  raise(above: boolean, fadeMs?: number): Promise<void>;
}

export type Picturing = HTMLCanvasElement | HTMLImageElement | HTMLVideoElement;

export function createSurface(parent: HTMLElement, look: Readonly<Look>): Surface {
  const root = document.createElement('div');
  root.className = 'layer';
  const ground = document.createElement('canvas');
  ground.className = 'ground';
  const canvas = document.createElement('canvas');
  const image = document.createElement('img');
  const video = document.createElement('video');
  video.playsInline = true;
  video.disablePictureInPicture = true;
  video.disableRemotePlayback = true;
  for (const each of [canvas, image, video]) each.className = 'picture';
  root.append(ground, canvas, image, video);
  parent.append(root);
  let shown: Surface['shown'] = null;
  let fade: Animation | null = null;

  const surface: Surface = {
    root,
    canvas,
    image,
    video,
    ground,
    look,
    get shown() {
      return shown;
    },
    use(element, { width, height } = { width: 16, height: 9 }) {
      const ratio = width / height;
      shown = element && { element, ratio };
      for (const each of [canvas, image, video]) each.hidden = each !== element;
      ground.hidden = element === null;
      root.style.setProperty('--ratio', String(ratio));
    },
    async raise(above, fadeMs = 0) {
      fade?.cancel();
      fade = above && fadeMs > 0 ? root.animate({ opacity: [0, 1] }, fadeMs) : null;
      root.classList.toggle('above', above);
      await fade?.finished.catch(() => {});
    },
  };
  surface.use(null);
  void surface.raise(false);
  return surface;
}
