import * as z from 'zod';
import { listDeadLetters as list } from '../../../shared/usecases/list-dead-letters.ts';
import { defineCall } from '../call.ts';
import { deadLetterView, showDeadLetter } from '../dead-letter-view.ts';
import { namespaceParams, paging } from '../fields.ts';

export const listDeadLetters = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/dead-letters',
  name: 'listDeadLetters',
  summary: 'List messages that were delivered too often',
  access: 'user',
  params: namespaceParams,
  query: z.strictObject(paging(20)),
  answers: {
    200: z.strictObject({ dead_letters: z.array(deadLetterView), next_page_token: z.string().nullable() }),
  },
  errors: ['INVALID_PAGE_TOKEN'],
  async handle({ engine }, { params: { namespace }, query }) {
    const page = { namespace, pageSize: query.page_size, pageToken: query.page_token };
    const { letters, nextPageToken } = await list(engine, page);
    return { status: 200, body: { dead_letters: letters.map(showDeadLetter), next_page_token: nextPageToken } };
  },
});
