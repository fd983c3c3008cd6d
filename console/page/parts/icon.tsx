const PATHS = {
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  play: 'M6 4.2v7.6L12 8z',
  moon: 'M12.6 9.6A5 5 0 016.4 3.4a5 5 0 106.2 6.2z',
  clock: 'M8 4.5V8l2.4 1.6M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11z',
  slash: 'M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM4.2 4.2l7.6 7.6',
  retry: 'M12.5 6.5A5 5 0 104 11.4M12.8 3v3.6H9.2',
  code: 'M5.5 5L2.5 8l3 3M10.5 5l3 3-3 3',
  branch:
    'M5 3v7M5 10.5a1.6 1.6 0 100 3.2 1.6 1.6 0 000-3.2zM11 2.6a1.6 1.6 0 100 3.2 1.6 1.6 0 000-3.2zM11 5.8c0 3-6 2-6 4.5',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.6 4h.2M2.6 8h.2M2.6 12h.2',
  calendar: 'M3 5.5h10M5.5 2.5v2M10.5 2.5v2M3 4.2h10v9H3z',
  cpu: 'M5 5h6v6H5zM6.5 5V2.5M9.5 5V2.5M6.5 13.5V11M9.5 13.5V11M5 6.5H2.5M5 9.5H2.5M13.5 6.5H11M13.5 9.5H11',
  pulse: 'M2 8.5h2.6L6.5 4l3 8.5 1.8-4H14',
  search: 'M7 3a4 4 0 100 8 4 4 0 000-8zM10 10l3.2 3.2',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  plus: 'M8 3.5v9M3.5 8h9',
  minus: 'M3.5 8h9',
  left: 'M9.5 4L5.5 8l4 4',
  right: 'M6.5 4l4 4-4 4',
  pause: 'M6 4v8M10 4v8',
  alert: 'M8 2.8l6 10.4H2zM8 7v2.6M8 11.4v.1',
  sun: 'M8 5.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M3.6 12.4l1-1M11.4 4.6l1-1',
  auto: 'M8 2.5a5.5 5.5 0 100 11zM8 2.5a5.5 5.5 0 010 11',
  bolt: 'M8.8 2L3.8 9h3.4l-.6 5 5-7H8.2z',
} as const;

export type IconName = keyof typeof PATHS;

/** Beside words that say the same; hidden from screen readers. */
export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);
