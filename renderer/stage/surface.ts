/**
 * One of the two fixed layers of the stage. Its elements are made once and used again: making and removing
 * videos leaks memory in every engine.
 */
export interface Surface {
  readonly root: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly image: HTMLImageElement;
  readonly video: HTMLVideoElement;
  /** Shows this element of the layer and no other. */
  use(element: HTMLElement | null): void;
  /** Above the other layer (true) or under it; always painted, never transparent. */
  raise(above: boolean): void;
}

export function createSurface(parent: HTMLElement): Surface {
  const root = document.createElement('div');
  root.className = 'layer';
  const canvas = document.createElement('canvas');
  const image = document.createElement('img');
  const video = document.createElement('video');
  video.playsInline = true;
  video.disablePictureInPicture = true;
  video.disableRemotePlayback = true;
  root.append(canvas, image, video);
  parent.append(root);

  const use = (element: HTMLElement | null) => {
    for (const each of [canvas, image, video]) each.hidden = each !== element;
  };
  const raise = (above: boolean) => root.classList.toggle('above', above);
  use(null);
  raise(false);
  return { root, canvas, image, video, use, raise };
}
