/**
 * In the bundles of functions, in place of the SDK's discovery of endpoints, a cache and a middleware that are off
 * unless a variable or a profile switches them on: a region's endpoint of DynamoDB is known.
 */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: (): undefined => undefined,
  configFileSelector: (): undefined => undefined,
  default: false,
};

export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;
