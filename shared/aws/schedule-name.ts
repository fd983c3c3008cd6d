import { createHash } from 'node:crypto';

/** With its mark, within the 64 characters that a name may have. */
const PLAIN = /^[0-9a-zA-Z._-]{1,62}$/;

/** A schedule's name shows the timer's id where it may; otherwise its hash, under a mark that no id has. */
export const scheduleName = (id: string): string =>
  PLAIN.test(id) ? `t.${id}` : `h.${createHash('sha256').update(id, 'utf8').digest('base64url')}`;
