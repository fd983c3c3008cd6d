import { DraftField, DraftLines, type DraftProps } from './draft-fields.tsx';
import { zoneHere } from './local-time.ts';
import { zonesHere } from './show-spec.ts';

const INSTANT = { type: 'datetime-local', step: 1 } as const;

/** When it fires. */
export const ScheduleTimes = (props: DraftProps) => (
  <>
    <div class="fields">
      <DraftLines {...props} name="cron" label="Cron expressions, one a line" />
      <DraftLines {...props} name="every" label="Intervals, one a line: 90s, 1h, 1h after 5m" />
    </div>
    <div class="fields times">
      <DraftField {...props} name="zone" label="Time zone" input={{ list: 'zones', required: true }} />
      <datalist id="zones">
        {zonesHere().map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <DraftField {...props} name="start" label={`Not before (${zoneHere()})`} input={INSTANT} />
      <DraftField {...props} name="end" label={`Not after (${zoneHere()})`} input={INSTANT} />
      <DraftField {...props} name="jitter" label="Jitter: late by up to" />
    </div>
  </>
);
