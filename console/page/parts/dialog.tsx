import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
}

/** Modal: the browser keeps the focus inside, and gives it back. */
export const Dialog = ({ title, onClose, children, wide = false }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} class={wide ? 'dialog wide' : 'dialog'} aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
};

/** Below the fields of a dialog. */
export const DialogButtons = ({
  children,
  onClose,
  close = 'Close',
}: {
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** What the button that closes says. */
  readonly close?: string;
}) => (
  <div class="dialog-buttons">
    <button type="button" class="button" onClick={onClose}>
      {close}
    </button>
    {children}
  </div>
);
