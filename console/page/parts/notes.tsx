import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiProblem } from '../api.ts';
import { keepToken, readToken } from '../token.ts';
import { Icon, type IconName } from './icon.tsx';

interface NoteProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** Nothing to show, and what to do next. */
export const EmptyNote = ({ icon, title, children }: NoteProps) => (
  <div class="note">
    <span class="note-icon">
      <Icon name={icon} size={22} />
    </span>
    <h2>{title}</h2>
    {children}
  </div>
);

export const LoadingNote = ({ what }: { readonly what: string }) => (
  <div class="note loading" role="status">
    <span class="spinner" aria-hidden="true" />
    <p>Loading {what}…</p>
  </div>
);

interface ProblemProps {
  readonly problem: ApiProblem;
  readonly retry: () => void;
}

/** Instead of what could not be loaded. */
export const ProblemNote = ({ problem, retry }: ProblemProps) =>
  problem.status === 401 ? (
    <TokenForm retry={retry} />
  ) : (
    <div class="note problem" role="alert">
      <span class="note-icon">
        <Icon name="alert" size={22} />
      </span>
      <h2>{problem.message}</h2>
      <p>{adviceFor(problem)}</p>
      <button type="button" class="button" onClick={retry}>
        <Icon name="retry" />
        Try again
      </button>
    </div>
  );

/** Above what was loaded before. */
export const ProblemBar = ({ problem, retry }: ProblemProps) => (
  <div class="bar-problem" role="alert">
    <Icon name="alert" />
    <span>{problem.message} What you see may be old; it is tried again by itself.</span>
    <button type="button" class="button small" onClick={retry}>
      Try now
    </button>
  </div>
);

function adviceFor({ status, code }: ApiProblem): string {
  if (code === 'UNREACHABLE')
    return 'If it runs on this machine, start it: npm start, or kagzi dev. If it is elsewhere, see its address and your connection. The page goes on by itself.';
  if (code === 'NO_CREDENTIALS')
    return 'Log in as you do for the AWS command, or start kagzi console again with --profile.';
  if (code === 'NO_REGION') return 'Start kagzi console again with --region.';
  if (status === 403) return 'Your credentials may not call this; see that they are allowed execute-api:Invoke on it.';
  if (code === 'RUN_NOT_FOUND') return 'It may have been removed after its retention, or be in another namespace.';
  if (status === 400) return 'See what the address of this page or a filter names: the engine does not take it.';
  if (status === 404) return 'It may be gone, or be in another namespace.';
  return 'If it stays, the log of the engine says more.';
}

const TokenForm = ({ retry }: { readonly retry: () => void }) => {
  const [token, setToken] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    keepToken(token.trim());
    retry();
  };
  return (
    <form class="note" onSubmit={submit}>
      <h2>This engine wants a token</h2>
      {readToken() !== null && <p class="error-text">The one this tab has is not, or no longer, right.</p>}
      <p>
        With kagzi console, open the whole address that it printed. Otherwise it is the value of KAGZI_API_TOKEN. It
        stays in this tab, until you close it.
      </p>
      <label class="field">
        <span>Token</span>
        <input
          type="password"
          autocomplete="off"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary" disabled={token.trim() === ''}>
        Go on
      </button>
    </form>
  );
};
