import type { Access } from '../iam/evaluate.ts';

/** A call of an AWS API on its way to a stand-in. */
export interface AwsCall {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface AwsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How one service is spoken to: what a call asks IAM for, and how it is refused. */
export interface AwsService {
  readonly accesses: (call: AwsCall) => readonly Access[];
  readonly refusal: (message: string) => AwsAnswer;
  /** What the stand-in gets instead of the body. */
  readonly rewrite?: (call: AwsCall) => Buffer;
  /** Where the answer depends on who asks. */
  readonly afterwards?: (call: AwsCall, status: number) => { readonly needs: Access } | null;
  /** Answers in place of a stand-in. */
  readonly answer?: (call: AwsCall) => AwsAnswer;
}

export const operationOf = ({ headers }: AwsCall): string => String(headers['x-amz-target']).split('.').at(-1) ?? '';
export const jsonOf = ({ body }: AwsCall): Readonly<Record<string, unknown>> =>
  JSON.parse(body.toString('utf8')) as Readonly<Record<string, unknown>>;
