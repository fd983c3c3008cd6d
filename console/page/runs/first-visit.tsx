import { EmptyNote } from '../parts/notes.tsx';
import type { WorkflowType } from '../wire.ts';

interface FirstVisitProps {
  readonly types: readonly WorkflowType[];
  readonly onStart: (type: WorkflowType) => void;
}

/** Nothing has run yet: start something from here, or see how. */
export const FirstVisit = ({ types, onStart }: FirstVisitProps) =>
  types.length === 0 ? (
    <EmptyNote icon="bolt" title="Nothing has run here yet">
      <p>No worker serves a workflow in this namespace. Serve one from a terminal:</p>
      <pre class="command">npx kagzi dev examples/hello.ts</pre>
    </EmptyNote>
  ) : (
    <EmptyNote icon="bolt" title="Nothing has run here yet">
      <p>These workflows are served now. Start one, and watch it run.</p>
      <ul class="starters">
        {types.map((type) => (
          <li key={`${type.task_queue} ${type.workflow_type}`}>
            <button type="button" class="button" onClick={() => onStart(type)}>
              Start {type.workflow_type}
            </button>
          </li>
        ))}
      </ul>
    </EmptyNote>
  );
