import { useState } from 'preact/hooks';
import { visibleText } from '../visible-text.ts';
import { CopyButton } from './copy-button.tsx';

const LINES_AT_FIRST = 40;
const LETTERS_AT_FIRST = 8_000;

/** Text and nothing but text, however large. */
export const JsonBlock = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const [whole, setWhole] = useState(false);
  const first = text.split('\n', LINES_AT_FIRST).join('\n').slice(0, LETTERS_AT_FIRST);
  const cut = !whole && first.length < text.length;
  return (
    <section class="json-block" aria-label={label}>
      <header>
        <h3>{label}</h3>
        <CopyButton text={text} label={label} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{visibleText(cut ? first : text)}</pre>
      {cut && (
        <button type="button" class="button small" onClick={() => setWhole(true)}>
          Show all ({Math.ceil(text.length / 1024)} KB)
        </button>
      )}
    </section>
  );
};
