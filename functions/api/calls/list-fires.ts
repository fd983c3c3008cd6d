import * as z from 'zod';
import { listFires as list } from '../../../shared/usecases/list-fires.ts';
import { defineCall } from '../call.ts';
import { paging, scheduleParams } from '../fields.ts';
import { fireView, showFire } from '../schedule-view.ts';

export const listFires = defineCall({
  method: 'GET',
  path: '/v1/{namespace}/schedules/{schedule_id}/history',
  name: 'listFires',
  summary: 'What became of the fires of a schedule, newest first',
  access: 'user',
  params: scheduleParams,
  query: z.strictObject(paging(20)),
  answers: { 200: z.strictObject({ fires: z.array(fireView), next_page_token: z.string().nullable() }) },
  errors: ['SCHEDULE_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
  async handle({ engine }, { params, query }) {
    const id = { namespace: params.namespace, scheduleId: params.schedule_id };
    const { fires, nextPageToken } = await list(engine, id, { pageSize: query.page_size, pageToken: query.page_token });
    return { status: 200, body: { fires: fires.map(showFire), next_page_token: nextPageToken } };
  },
});
