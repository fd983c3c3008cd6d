/** Where every scenario plays. */
export const NAMESPACE = 'shop';
export const TASK_QUEUE = 'default';
