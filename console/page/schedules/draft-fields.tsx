import type { InputHTMLAttributes } from 'preact';
import type { DraftProblems, ScheduleDraft } from './schedule-draft.ts';

/** What the fields of a draft have in common. */
export interface DraftProps {
  readonly draft: ScheduleDraft;
  readonly problems: DraftProblems;
  readonly set: (change: Partial<ScheduleDraft>) => void;
}

type TextName = { [K in keyof ScheduleDraft]: ScheduleDraft[K] extends boolean ? never : K }[keyof ScheduleDraft];

interface DraftFieldProps extends DraftProps {
  readonly name: TextName;
  readonly label: string;
  readonly input?: InputHTMLAttributes;
}

export const DraftField = ({ draft, problems, set, name, label, input = {} }: DraftFieldProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      autocomplete="off"
      {...input}
      value={draft[name]}
      aria-invalid={problems[name] !== undefined}
      onInput={(event) => set({ [name]: event.currentTarget.value })}
    />
    <FieldProblem text={problems[name]} />
  </label>
);

interface DraftLinesProps extends DraftProps {
  readonly name: 'cron' | 'every';
  readonly label: string;
}

export const DraftLines = ({ draft, problems, set, name, label }: DraftLinesProps) => (
  <label class="field">
    <span>{label}</span>
    <textarea
      rows={2}
      class="mono"
      spellcheck={false}
      value={draft[name]}
      aria-invalid={problems[name] !== undefined}
      onInput={(event) => set({ [name]: event.currentTarget.value })}
    />
    <FieldProblem text={problems[name]} />
  </label>
);

interface DraftChoiceProps extends DraftProps {
  readonly name: 'overlap' | 'retries';
  readonly label: string;
  readonly choices: Readonly<Record<string, string>>;
}

export const DraftChoice = ({ draft, set, name, label, choices }: DraftChoiceProps) => (
  <label class="field">
    <span>{label}</span>
    <select value={draft[name]} onChange={(event) => set({ [name]: event.currentTarget.value })}>
      {Object.entries(choices).map(([choice, text]) => (
        <option key={choice} value={choice}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

const FieldProblem = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : <small class="error-text">{text}</small>;
