/** `abc123.execute-api.eu-west-1.amazonaws.com`, the same in China, or by way of a VPC endpoint. */
const GATEWAY = /^[\w-]+\.execute-api\.([a-z0-9-]+)\.(?:vpce\.)?amazonaws\.com(?:\.cn)?$/;

/** The region of an API Gateway's own host name; null for every other. */
export const gatewayRegion = (hostname: string): string | null => GATEWAY.exec(hostname)?.[1] ?? null;
