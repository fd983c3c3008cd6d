import { useState } from 'preact/hooks';
import { callApi } from '../api.ts';
import { useLive } from '../live.ts';
import { goTo, hrefOf, type Route } from '../route.ts';
import type { Paged } from '../wire.ts';
import { Dialog, DialogButtons } from './dialog.tsx';

interface Namespaces extends Paged {
  readonly namespaces: readonly { readonly name: string }[];
}

/** No namespace: it begins with a letter or a digit. */
const OTHER = '…';

/** There may be more than are listed, and whoever is bound to one may not list them. */
export const NamespaceChoice = ({ route }: { readonly route: Route }) => {
  const [asking, setAsking] = useState(false);
  const { data } = useLive<Namespaces>(
    'namespaces',
    (signal) => callApi('/v1/namespaces', { query: { page_size: 100 }, signal }),
    () => ({ minMs: 30_000, maxMs: 120_000 }),
  );
  const names = [...new Set(['default', ...(data?.namespaces.map(({ name }) => name) ?? []), route.namespace])].sort();
  const choose = (namespace: string): void => goTo(hrefOf({ namespace, view: route.view }));
  return (
    <>
      <label class="namespace">
        <span>Namespace</span>
        <select
          value={route.namespace}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            event.currentTarget.value = route.namespace;
            if (chosen === OTHER) setAsking(true);
            else choose(chosen);
          }}
        >
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
          <option value={OTHER}>Another…</option>
        </select>
      </label>
      {asking && (
        <OtherNamespace
          onClose={() => setAsking(false)}
          onChoose={(namespace) => {
            setAsking(false);
            choose(namespace);
          }}
        />
      )}
    </>
  );
};

interface OtherProps {
  readonly onClose: () => void;
  readonly onChoose: (namespace: string) => void;
}

const OtherNamespace = ({ onClose, onChoose }: OtherProps) => {
  const [name, setName] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    onChoose(name);
  };
  return (
    <Dialog title="Go to a namespace" onClose={onClose}>
      <form onSubmit={submit}>
        <label class="field">
          <span>Its name: lower-case letters, digits and . _ -</span>
          <input
            value={name}
            required
            pattern="[a-z0-9][a-z0-9._\-]{0,62}"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <DialogButtons onClose={onClose}>
          <button type="submit" class="button primary">
            Go
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  );
};
