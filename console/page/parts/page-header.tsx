import type { ComponentChildren } from 'preact';
import type { ApiProblem } from '../api.ts';

interface PageHeaderProps {
  readonly title: string;
  readonly live: { readonly problem: ApiProblem | null; readonly at: number | null };
  readonly children?: ComponentChildren;
}

export const PageHeader = ({ title, live, children }: PageHeaderProps) => (
  <header class="page-header">
    <h1>{title}</h1>
    <LiveMark {...live} />
    <div class="page-actions">{children}</div>
  </header>
);

/** Whether what is shown is true now. */
export const LiveMark = ({ problem, at }: PageHeaderProps['live']) => (
  <span class={problem === null ? 'live' : 'live away'}>
    <span class="live-dot" aria-hidden="true" />
    {problem === null
      ? at === null
        ? 'Loading'
        : 'Live'
      : problem.code === 'UNREACHABLE'
        ? 'Not connected'
        : 'Not live'}
  </span>
);
