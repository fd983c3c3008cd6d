import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from '../parts/icon.tsx';
import { plural } from '../show-number.ts';
import { showLength } from '../show-time.ts';
import { visibleText } from '../visible-text.ts';
import { hasEnded, type RunSummary, type Step } from '../wire.ts';
import { type Bar, barsOf, lengthOf, type Span, spanOf, ticksOf } from './timeline-bars.ts';

const ROW_PX = 30;
const AXIS_PX = 28;
const MAX_ROWS_SHOWN = 18;
const SPARE_ROWS = 6;
const MAX_ZOOM = 4096;

const KIND_ICONS: Readonly<Record<Step['kind'], IconName>> = {
  FUNCTION: 'code',
  SLEEP: 'moon',
  CHILD_WORKFLOW: 'branch',
};
const KIND_NAMES: Readonly<Record<Step['kind'], string>> = {
  FUNCTION: 'step',
  SLEEP: 'sleep',
  CHILD_WORKFLOW: 'child run',
};

interface TimelineProps {
  readonly run: RunSummary;
  readonly steps: readonly Step[];
  readonly now: number;
  readonly selected: string | null;
  readonly onSelect: (stepId: string) => void;
}

/** Gantt chart, to scale. Only the rows in sight are in the document, so a thousand steps are as light as twenty. */
export const Timeline = ({ run, steps, now, selected, onSelect }: TimelineProps) => {
  const [zoom, setZoom] = useState(1);
  const [scroll, setScroll] = useState(0);
  const frame = useRef<HTMLDivElement>(null);
  /** By an arrow key, so that the focus goes along. */
  const moved = useRef(false);
  const span = spanOf(run, steps, now);
  const first = Math.max(0, Math.floor(scroll / ROW_PX) - SPARE_ROWS);
  const shown = steps.slice(first, first + MAX_ROWS_SHOWN + 2 * SPARE_ROWS);
  const zoomTo = (next: number): void => {
    const element = frame.current;
    const factor = Math.min(MAX_ZOOM, Math.max(1, next));
    if (element !== null) keepMiddle(element, factor / zoom);
    setZoom(factor);
  };
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = steps[steps.findIndex(({ step_id }) => step_id === selected) + step];
    if (next === undefined) return;
    moved.current = true;
    onSelect(next.step_id);
  };
  useLayoutEffect(() => {
    showRow(
      frame.current,
      steps.findIndex(({ step_id }) => step_id === selected),
    );
    setScroll(frame.current?.scrollTop ?? 0);
  }, [selected]);
  useLayoutEffect(() => {
    // The row that had the focus may be out of sight, and of the document.
    if (!moved.current) return;
    const row = frame.current?.querySelector<HTMLElement>('.timeline-row.selected');
    if (row == null) return;
    moved.current = false;
    row.focus({ preventScroll: true });
  });

  return (
    <section class="timeline" aria-label="Timeline">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys are a shortcut; every row is a button */}
      <div
        class="timeline-frame"
        ref={frame}
        onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
        onKeyDown={move}
        style={{ maxHeight: `${AXIS_PX + MAX_ROWS_SHOWN * ROW_PX}px` }}
      >
        <div class="timeline-sheet" style={{ '--zoom': String(zoom), height: `${AXIS_PX + steps.length * ROW_PX}px` }}>
          <Axis span={span} />
          {now < span.to && !hasEnded(run) && (
            <span class="timeline-now" aria-hidden="true">
              <span style={{ left: place({ from: now, to: now }, span).left }} title="Now" />
            </span>
          )}
          {shown.map((step, index) => (
            <Row
              key={step.step_id}
              step={step}
              top={AXIS_PX + (first + index) * ROW_PX}
              bars={barsOf(step, now)}
              span={span}
              now={now}
              isSelected={step.step_id === selected}
              onSelect={onSelect}
            />
          ))}
        </div>
      </div>
      <footer class="timeline-tools">
        <Legend />
        <fieldset class="zoom">
          <legend class="visually-hidden">Zoom</legend>
          <button
            type="button"
            class="icon-button"
            aria-label="Zoom out"
            disabled={zoom === 1}
            onClick={() => zoomTo(zoom / 2)}
          >
            <Icon name="minus" size={14} />
          </button>
          <button type="button" class="button small" disabled={zoom === 1} onClick={() => zoomTo(1)}>
            {zoom === 1 ? 'Fit' : `${zoom}×`}
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label="Zoom in"
            disabled={zoom === MAX_ZOOM}
            onClick={() => zoomTo(zoom * 2)}
          >
            <Icon name="plus" size={14} />
          </button>
        </fieldset>
      </footer>
      <p class="visually-hidden">{plural(steps.length, 'step')} in the order of their creation.</p>
    </section>
  );
};

interface RowProps {
  readonly step: Step;
  readonly top: number;
  readonly bars: readonly Bar[];
  readonly span: Span;
  readonly now: number;
  readonly isSelected: boolean;
  readonly onSelect: (stepId: string) => void;
}

const Row = ({ step, top, bars, span, now, isSelected, onSelect }: RowProps) => (
  <button
    type="button"
    class={`timeline-row${isSelected ? ' selected' : ''}`}
    style={{ top: `${top}px` }}
    aria-pressed={isSelected}
    aria-label={`${KIND_NAMES[step.kind]} ${shownText(step, now)}, ${step.status.toLowerCase()}`}
    onClick={() => onSelect(step.step_id)}
  >
    <span class={`timeline-label tone-${step.status.toLowerCase()}`}>
      <Icon name={step.status === 'FAILED' ? 'cross' : KIND_ICONS[step.kind]} size={14} />
      <StepName stepId={step.step_id} />
      {step.attempt > 1 && <span class="attempts"> ×{step.attempt}</span>}
      <span class="timeline-length"> {showLength(lengthOf(step, now))}</span>
    </span>
    <span class="timeline-track">
      {bars.map((bar) => (
        <span
          key={`${bar.kind} ${bar.from}`}
          class={`timeline-bar bar-${bar.kind}`}
          title={`${bar.label} (${showLength(bar.to - bar.from)})`}
          style={place(bar, span)}
        />
      ))}
    </span>
  </button>
);

/** What is read is what is seen: whoever speaks to the page says that. */
const shownText = (step: Step, now: number): string =>
  `${step.step_id}${step.attempt > 1 ? ` ×${step.attempt}` : ''} ${showLength(lengthOf(step, now))}`;

/** What it is called last is what one looks for: what is before gives way first. */
const StepName = ({ stepId }: { readonly stepId: string }) => {
  const cut = stepId.lastIndexOf('/') + 1;
  return (
    <span class="timeline-name" title={stepId}>
      {cut > 0 && <span class="timeline-path">{visibleText(stepId.slice(0, cut))}</span>}
      <span class="timeline-leaf">{visibleText(stepId.slice(cut))}</span>
    </span>
  );
};

function place(bar: Span, { from, to }: Span) {
  const length = to - from;
  return { left: `${((bar.from - from) / length) * 100}%`, width: `${((bar.to - bar.from) / length) * 100}%` };
}

const MAX_TICKS = 200;
/** What the longest label takes, with some air. */
const LABEL_PX = 70;

const Axis = ({ span }: { readonly span: Span }) => {
  const track = useRef<HTMLSpanElement>(null);
  const [width, setWidth] = useState(6 * LABEL_PX);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    if (track.current !== null) observer.observe(track.current);
    return () => observer.disconnect();
  }, []);
  const length = span.to - span.from;
  const ticks = ticksOf(span, Math.min(MAX_TICKS, Math.max(1, Math.floor(width / LABEL_PX))));
  return (
    <div class="timeline-axis" aria-hidden="true">
      <span class="timeline-corner">Step</span>
      <span class="timeline-track" ref={track}>
        {ticks.map((tick) => (
          <span key={tick} class="timeline-tick" style={{ left: `${(tick / length) * 100}%` }}>
            {(1 - tick / length) * width > LABEL_PX / 2 && <span>{tickText(tick)}</span>}
          </span>
        ))}
      </span>
    </div>
  );
};

const tickText = (ms: number): string => (ms === 0 ? '0' : showLength(ms).replace('.0 ', ' '));

const Legend = () => (
  <ul class="legend" aria-label="What the bars mean">
    {(['done', 'running', 'failed', 'wait', 'sleep', 'child'] as const).map((kind) => (
      <li key={kind}>
        <span class={`swatch bar-${kind}`} aria-hidden="true" />
        {LEGEND[kind]}
      </li>
    ))}
  </ul>
);

const LEGEND: Readonly<Record<Bar['kind'], string>> = {
  done: 'completed',
  running: 'running',
  failed: 'failed attempt',
  wait: 'waits to retry',
  sleep: 'sleep',
  child: 'child run',
};

/** What is in the middle stays there. */
function keepMiddle(element: HTMLElement, factor: number): void {
  const middle = element.scrollLeft + element.clientWidth / 2;
  requestAnimationFrame(() => {
    element.scrollLeft = middle * factor - element.clientWidth / 2;
  });
}

function showRow(element: HTMLElement | null, index: number): void {
  if (element === null || index < 0) return;
  const top = index * ROW_PX;
  const height = element.clientHeight - AXIS_PX;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + ROW_PX > element.scrollTop + height) element.scrollTop = top + ROW_PX - height;
}
