import type { CallerProof } from '../sdk/client/caller-proof.ts';
import { gatewayRegion } from '../shared/model/gateway-region.ts';
import type { GLOBAL_OPTIONS, Terminal, Values } from './command.ts';
import { CliError } from './exit-codes.ts';

type Given = Pick<Values<typeof GLOBAL_OPTIONS>, 'token' | 'sign' | 'profile' | 'region'>;

/** What was said on the line wins over the environment, and that over what the URL suggests. */
export function chooseProof(url: URL, given: Given, env: Terminal['env']): CallerProof {
  const { token, sign = false, profile, region } = given;
  const signs = sign || profile !== undefined;
  if (token !== undefined && (signs || region !== undefined)) {
    throw new CliError('A call carries a token or a signature: leave out --token, or --sign, --profile and --region.');
  }
  if (token !== undefined) return { token };
  if (signs || region !== undefined) return signature(profile, region);
  const wish = env['KAGZI_SIGN'] || undefined;
  const tokenOfEnv = env['KAGZI_API_TOKEN'] || undefined;
  if (wish !== undefined && wish !== 'on' && wish !== 'off') {
    throw new CliError(`KAGZI_SIGN is ${JSON.stringify(wish)}: it can be on or off.`);
  }
  if (wish === 'on' && tokenOfEnv !== undefined) {
    throw new CliError('A call carries a token or a signature: unset KAGZI_API_TOKEN or KAGZI_SIGN.');
  }
  if (tokenOfEnv !== undefined) return { token: tokenOfEnv };
  const isGateway = url.protocol === 'https:' && gatewayRegion(url.hostname) !== null;
  return wish === 'on' || (wish === undefined && isGateway) ? signature(profile, region) : {};
}

const signature = (profile: string | undefined, region: string | undefined): CallerProof => ({
  credentials: profile === undefined ? 'default' : { profile },
  ...(region === undefined ? {} : { region }),
});
