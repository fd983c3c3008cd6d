import { loadConfig } from '@smithy/core/config';
import { gatewayRegion } from '../model/gateway-region.ts';
import { SigningError } from '../model/signing-error.ts';

export interface RegionSources {
  readonly hostname: string;
  readonly region: string | undefined;
  /** Whose region in the AWS config files counts; AWS_PROFILE's if not given. */
  readonly profile: string | undefined;
}

/** What was given, what the host name says, or what the AWS SDK would take. */
export async function signingRegion({ hostname, region, profile }: RegionSources): Promise<string> {
  const found = region ?? gatewayRegion(hostname) ?? (await configuredRegion(profile));
  if (found !== '') return found;
  throw new SigningError(
    'NO_REGION',
    `It is not known for which AWS region to sign calls to ${hostname}: say it, or set AWS_REGION.`,
  );
}

const configuredRegion = (profile: string | undefined): Promise<string> =>
  loadConfig(
    {
      environmentVariableSelector: (env) => env['AWS_REGION'] || undefined,
      configFileSelector: (settings) => settings['region'],
      default: '',
    },
    profile === undefined ? {} : { profile },
  )();
