/** What rules find the events of an environment by. */
export const eventSourceOf = (environment: string): string => `kagzi.${environment}`;
