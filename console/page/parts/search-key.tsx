/** The key that goes to a search. */
export const SearchKey = () => (
  <span class="key" aria-hidden="true">
    /
  </span>
);
