/** Where the functions put their metrics, and dashboards and alarms find them. */
export const METRIC_NAMESPACE = 'Kagzi';

/** Of `service`, the only dimension. */
export const serviceOf = (environment: string): string => `kagzi-${environment}`;
