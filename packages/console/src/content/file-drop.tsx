import { useRef, useState } from 'react';
import type { DragEvent, ReactNode } from 'react';
import { Button } from '../ui/button.tsx';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files');

/** Takes the files that are dropped anywhere on what it contains. */
export function FileDrop({
  isOn,
  onFiles,
  label,
  children,
}: {
  isOn: boolean;
  onFiles: (files: readonly File[]) => void;
  label: string;
  children: ReactNode;
}) {
  const [isOver, setIsOver] = useState(false);
  return (
    <div
      className="relative flex min-w-0 flex-1 flex-col"
      onDragOver={(event) => {
        if (isOn && hasFiles(event)) {
          event.preventDefault();
          setIsOver(true);
        }
      }}
      onDragLeave={(event) => {
        // Also called when the pointer moves on to what is inside.
        if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) {
          setIsOver(false);
        }
      }}
      onDrop={(event) => {
        if (isOn && hasFiles(event)) {
          event.preventDefault();
          setIsOver(false);
          onFiles([...event.dataTransfer.files]);
        }
      }}
    >
      {children}
      {isOver && (
        <div className="pointer-events-none absolute inset-0 z-10 grid place-items-center rounded-2xl border-2 border-dashed border-accent bg-selected/80 text-lg font-semibold">
          {label}
        </div>
      )}
    </div>
  );
}

/** Opens the file chooser of the system. */
export function UploadButton({
  label,
  isSingle = false,
  onFiles,
}: {
  label: string;
  /** Whether one file alone can be chosen. */
  isSingle?: boolean;
  onFiles: (files: readonly File[]) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple={!isSingle}
        accept="image/*,video/*"
        aria-label={label}
        tabIndex={-1}
        hidden
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // The same file may be chosen again.
          event.target.value = '';
        }}
      />
      <Button look="primary" onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  );
}
