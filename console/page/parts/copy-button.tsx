import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const SHOWN_MS = 1_500;

export const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [copied, setCopied] = useState(false);
  // Not there where the server is reached without TLS over the network.
  if (!isSecureContext) return null;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Copy ${label}`}
      title={`Copy ${label}`}
      onClick={() => void copy().catch(() => undefined)}
    >
      <Icon name={copied ? 'check' : 'copy'} size={14} />
      <span class="visually-hidden" role="status">
        {copied ? 'Copied' : ''}
      </span>
    </button>
  );
};
