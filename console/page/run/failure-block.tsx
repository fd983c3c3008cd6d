import { JsonBlock } from '../parts/json-block.tsx';
import { visibleText } from '../visible-text.ts';
import type { Failure } from '../wire.ts';

export const FailureBlock = ({ title, failure }: { readonly title: string; readonly failure: Failure }) => (
  <section class="failure" aria-label={title}>
    <h3>
      {title} <code>{failure.code}</code>
    </h3>
    <p class="failure-message">{visibleText(failure.message)}</p>
    {failure.stack !== null && failure.stack !== undefined && (
      <details>
        <summary>Stack</summary>
        <JsonBlock label="Stack" text={failure.stack} />
      </details>
    )}
  </section>
);
