const SHOWN = 4;

/** Names of workflow types, the first of many. */
export const Types = ({ names }: { readonly names: readonly string[] }) =>
  names.length === 0 ? (
    <span class="faint">–</span>
  ) : (
    <span title={names.join(', ')}>
      {names.slice(0, SHOWN).join(', ')}
      {names.length > SHOWN && <span class="faint"> and {names.length - SHOWN} more</span>}
    </span>
  );
