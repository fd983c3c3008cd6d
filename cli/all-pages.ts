import type { ApiCall, HttpApi } from '../sdk/client/http-api.ts';
import type { WirePage } from './wire.ts';

/** Reads page after page until there are enough rows, or no more. */
export async function allPages<Page extends WirePage, Row>(
  api: HttpApi,
  call: ApiCall,
  rowsOf: (page: Page) => readonly Row[],
  atMost = Number.POSITIVE_INFINITY,
): Promise<{ readonly rows: readonly Row[]; readonly more: boolean }> {
  const rows: Row[] = [];
  let token: string | undefined;
  do {
    const page_size = Math.min(100, atMost - rows.length);
    const page = await api.call<Page>({ ...call, query: { page_size, ...call.query, page_token: token } });
    rows.push(...rowsOf(page));
    token = page.next_page_token ?? undefined;
  } while (token !== undefined && rows.length < atMost);
  return { rows, more: token !== undefined };
}
