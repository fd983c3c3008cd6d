import { DraftChoice, DraftField, type DraftProps } from './draft-fields.tsx';
import { RETRIES } from './retry-draft.ts';
import { OVERLAPS } from './schedule-draft.ts';

/** What becomes of fires that overlap or were missed, and of runs that fail. */
export const SchedulePolicies = (props: DraftProps) => {
  const { draft, set } = props;
  const again = draft.retries !== 'none';
  return (
    <>
      <div class="fields">
        <DraftChoice {...props} name="overlap" label="While a run is still open" choices={OVERLAPS} />
        <DraftField
          {...props}
          name="maxCatchup"
          label="Missed fires to catch up"
          input={{ type: 'number', min: 0, max: 10_000, required: true }}
        />
        <DraftField {...props} name="catchupWindow" label="If missed no longer ago than" />
      </div>
      <div class="fields">
        <DraftChoice {...props} name="retries" label="Try failed steps again" choices={RETRIES} />
        {again && (
          <>
            <DraftField
              {...props}
              name="attempts"
              label="Attempts in all"
              input={{ type: 'number', min: 1, max: 10_000, required: true }}
            />
            <DraftField {...props} name="firstWait" label={draft.retries === 'fixed' ? 'Wait' : 'First wait'} />
          </>
        )}
        {draft.retries === 'exponential' && (
          <>
            <DraftField
              {...props}
              name="factor"
              label="Each longer by the factor"
              input={{ type: 'number', min: 1, max: 100, step: 'any', required: true }}
            />
            <DraftField {...props} name="longestWait" label="Longest wait" />
          </>
        )}
        {again && (
          <label class="tick-field">
            <input
              type="checkbox"
              checked={draft.spread}
              onChange={(event) => set({ spread: event.currentTarget.checked })}
            />
            Spread waits by ±25 %
          </label>
        )}
      </div>
    </>
  );
};
