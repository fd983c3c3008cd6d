import type { AwsCredentialChoice } from './credential-source.ts';
import { signingRegion } from './signing-region.ts';
import { SigV4Signer } from './sigv4-signer.ts';

export interface StackQuestion {
  readonly stackName: string;
  readonly credentials: AwsCredentialChoice;
  readonly region: string | undefined;
  /** Instead of the region's own. */
  readonly endpoint: string | undefined;
  readonly now: () => number;
}

/** Refusals carry the code of the service, and `UNREACHABLE` stands for none at all. */
export type StackAnswer = { readonly region: string } & (
  | { readonly status: 'found'; readonly outputs: ReadonlyMap<string, string> }
  | { readonly status: 'refused'; readonly code: string; readonly message: string }
);

const TIMEOUT_MS = 15_000;
const TYPE = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };

/** One call of CloudFormation, by its Query API: a client of its own would be the heaviest part of the package. */
export async function describeStack(question: StackQuestion): Promise<StackAnswer> {
  const { stackName, credentials, now } = question;
  const profile = typeof credentials === 'object' && 'profile' in credentials ? credentials.profile : undefined;
  const region = await signingRegion({ hostname: 'CloudFormation', region: question.region, profile });
  const url = new URL(question.endpoint ?? endpointOf(region));
  const signer = new SigV4Signer({ hostname: url.hostname, credentials, region, service: 'cloudformation', now });
  const body = `Action=DescribeStacks&StackName=${encodeURIComponent(stackName)}&Version=2010-05-15`;
  const ask = async () => {
    const signature = await signer.sign({ method: 'POST', url, headers: TYPE, body });
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const headers = { ...TYPE, ...signature };
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' }).catch(unreachable);
    if (typeof response === 'string') return { status: 0, text: response, serverTime: null, signature };
    const date = Date.parse(response.headers.get('date') ?? '');
    const serverTime = Number.isNaN(date) ? null : date;
    return { status: response.status, text: await response.text(), serverTime, signature };
  };
  let answered = await ask();
  if ((answered.status === 400 || answered.status === 403) && (await signer.reconsider(answered))) {
    answered = await ask();
  }
  return { region, ...answerOf(answered) };
}

const endpointOf = (region: string): string =>
  `https://cloudformation.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;

const unreachable = (error: Error & { readonly cause?: { readonly code?: string } }): string =>
  error.cause?.code ?? error.message;

function answerOf({ status, text }: { readonly status: number; readonly text: string }) {
  if (status === 0) return { status: 'refused', code: 'UNREACHABLE', message: text } as const;
  if (status === 200 && text.includes('<DescribeStacksResult>')) {
    return { status: 'found', outputs: outputsIn(text) } as const;
  }
  const code = textOf('Code', text) ?? `HTTP ${status}`;
  return { status: 'refused', code, message: textOf('Message', text) ?? 'no reason given' } as const;
}

/** Only those of the stack have a key of this name. */
function outputsIn(xml: string): ReadonlyMap<string, string> {
  const members = xml.split(/<\/?member>/).filter((part) => part.includes('<OutputKey>'));
  return new Map(members.map((member) => [textOf('OutputKey', member) ?? '', textOf('OutputValue', member) ?? '']));
}

function textOf(name: string, xml: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return text?.replace(/&(lt|gt|quot|apos|amp|#\d+|#x[\da-f]+);/gi, (_, entity: string) => letterOf(entity));
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const letterOf = (entity: string): string =>
  NAMED[entity] ?? String.fromCodePoint(Number(entity.replace(/^#(x?)/i, (_, hex: string) => (hex ? '0x' : ''))));
