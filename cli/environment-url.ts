import { SigningError } from '../shared/model/signing-error.ts';
import type { GLOBAL_OPTIONS, Options, Terminal, Values } from './command.ts';
import { CliError, EXIT } from './exit-codes.ts';

type Given = Values<Options> & Pick<Values<typeof GLOBAL_OPTIONS>, 'profile' | 'region'>;

const NAME = /^[a-z][a-z0-9-]{0,30}$/;

/** Where a named environment is: what its variable says, or else its stack. */
export async function environmentUrl(given: Given, env: Terminal['env']): Promise<string | undefined> {
  const { env: name } = given;
  if (typeof name !== 'string') return undefined;
  if (!NAME.test(name)) throw new CliError(`--env ${name} is no name of an environment.`);
  const variable = `KAGZI_URL_${name.toUpperCase().replaceAll('-', '_')}`;
  const told = env[variable];
  return told ? told : urlOfStack(name, variable, given, env);
}

async function urlOfStack(name: string, variable: string, { profile, region }: Given, env: Terminal['env']) {
  const { describeStack } = await import('../shared/aws/describe-stack.ts');
  const stackName = `kagzi-${name}`;
  const endpoint = env['AWS_ENDPOINT_URL_CLOUDFORMATION'] || env['AWS_ENDPOINT_URL'] || undefined;
  if (endpoint !== undefined && !URL.canParse(endpoint)) {
    throw new CliError(`${JSON.stringify(endpoint)} is no URL of CloudFormation (AWS_ENDPOINT_URL_CLOUDFORMATION).`);
  }
  const answer = await describeStack({
    stackName,
    credentials: profile === undefined ? 'default' : { profile },
    region,
    endpoint,
    now: Date.now,
  }).catch((error: unknown) => {
    if (!(error instanceof SigningError)) throw error;
    const why = `CloudFormation could not be asked where ${JSON.stringify(name)} is, and ${variable} is not set.`;
    throw new SigningError(error.code, `${why} ${error.message}`, { cause: error });
  });
  const asked = `the stack ${stackName} in ${answer.region}`;
  const instead = `Or give the URL of the engine with --url or ${variable}.`;
  if (answer.status === 'found') {
    const url = answer.outputs.get('Url');
    if (url !== undefined) return url;
    throw new CliError(`There is ${asked}, but it has no output Url: is it still being made?\n${instead}`);
  }
  const { code, message } = answer;
  if (code === 'UNREACHABLE') {
    throw new CliError(`CloudFormation does not answer for ${asked}: ${message}.\n${instead}`, EXIT.unreachable);
  }
  if (code === 'ValidationError' && message.includes('does not exist')) {
    const hint = 'Another region is named with --region, another account with --profile.';
    throw new CliError(`There is no ${asked.slice('the '.length)} of this account.\n${hint}\n${instead}`);
  }
  const hint = HINTS[code] ?? '';
  throw new CliError(`CloudFormation refused to describe ${asked}: ${code}: ${message}\n${hint}${instead}`);
}

const DENIED =
  'The caller needs cloudformation:DescribeStacks on this stack; another one is chosen with --profile.\n`aws sts get-caller-identity` shows who you are.\n';
const STALE = 'Log in again, for instance with `aws sso login`, or choose another profile with --profile.\n';
const HINTS: Readonly<Record<string, string>> = {
  AccessDenied: DENIED,
  AccessDeniedException: DENIED,
  ExpiredToken: STALE,
  ExpiredTokenException: STALE,
  InvalidClientTokenId: STALE,
  SignatureDoesNotMatch: STALE,
};
