import type { ComponentChildren } from 'preact';

export const Fact = ({
  name,
  title,
  children,
}: {
  readonly name: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}) => (
  <div class="fact" title={title}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
