/** A screen in its orientation, with a picture on it. */
export function ScreenPicture({
  orientation,
  isOffline,
  src,
}: {
  orientation: string;
  isOffline: boolean;
  /** Address of the picture; null for none. */
  src: string | null;
}) {
  const shape = orientation.startsWith('portrait') ? 'h-[116px] w-[65px]' : 'h-[101px] w-[180px]';
  return (
    <div
      className={`relative shrink-0 overflow-hidden rounded bg-[#0b1530] ${shape} ${isOffline ? 'opacity-50' : ''}`}
    >
      {src !== null && (
        <img src={src} alt="" loading="lazy" className="absolute inset-0 size-full object-contain" />
      )}
    </div>
  );
}
