import * as z from 'zod';
import { listNamespaces as list } from '../../../shared/usecases/list-namespaces.ts';
import { defineCall } from '../call.ts';
import { instant, noParams, paging } from '../fields.ts';
import { time } from '../run-view.ts';

export const listNamespaces = defineCall({
  method: 'GET',
  path: '/v1/namespaces',
  name: 'listNamespaces',
  summary: 'List the namespaces in use',
  access: 'user',
  params: noParams,
  query: z.strictObject(paging(20)),
  answers: {
    200: z.strictObject({
      namespaces: z.array(z.strictObject({ name: z.string(), first_seen_at: instant })),
      next_page_token: z.string().nullable(),
    }),
  },
  errors: ['INVALID_PAGE_TOKEN'],
  async handle({ engine }, { query }) {
    const page = await list(engine, { pageSize: query.page_size, pageToken: query.page_token });
    const namespaces = page.namespaces.map(({ name, firstSeenAt }) => ({ name, first_seen_at: time(firstSeenAt) }));
    return { status: 200, body: { namespaces, next_page_token: page.nextPageToken } };
  },
});
