import { Icon } from './icon.tsx';

interface PagerProps {
  readonly page: number;
  readonly hasNext: boolean;
  readonly onPrevious: () => void;
  readonly onNext: () => void;
}

export const Pager = ({ page, hasNext, onPrevious, onNext }: PagerProps) =>
  page === 1 && !hasNext ? null : (
    <nav class="pager" aria-label="Pages">
      <button type="button" class="button small" disabled={page === 1} onClick={onPrevious}>
        <Icon name="left" />
        Newer
      </button>
      <span>Page {page}</span>
      <button type="button" class="button small" disabled={!hasNext} onClick={onNext}>
        Older
        <Icon name="right" />
      </button>
    </nav>
  );
