import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readRaw } from './signed-gateway.ts';
import { type Identity, verifySigV4 } from './verify-sigv4.ts';

type Outputs = Readonly<Record<string, string>>;

/** The one call of CloudFormation that Kagzi makes, for whoever signs it rightly. */
export class StackService {
  readonly region = 'eu-central-1';
  readonly identities = new Map<string, Identity & { readonly denied?: boolean }>();
  /** By name; null has none yet. */
  readonly stacks = new Map<string, Outputs | null>();
  /** How far its clock is ahead of this machine's. */
  aheadMs = 0;
  asked = 0;
  readonly #server: Server;

  static async open(): Promise<StackService> {
    const service = new StackService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  get url(): string {
    const { port } = this.#server.address() as { readonly port: number };
    return `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked++;
    const request = await readRaw(incoming);
    const now = Date.now() + this.aheadMs;
    const refused = verifySigV4(request, {
      identityOf: (accessKeyId) => this.identities.get(accessKeyId),
      region: this.region,
      service: 'cloudformation',
      now,
    });
    const [, accessKeyId = ''] = /Credential=([^/]+)/.exec(incoming.headers.authorization ?? '') ?? [];
    const asked = new URLSearchParams(request.body.toString());
    const { status, text } =
      refused !== null
        ? failure(403, 'SignatureDoesNotMatch', refused)
        : this.identities.get(accessKeyId)?.denied === true
          ? failure(
              403,
              'AccessDenied',
              `User: ${accessKeyId} is not authorized to perform: cloudformation:DescribeStacks`,
            )
          : this.#describe(request.method, asked);
    response.writeHead(status, { 'content-type': 'text/xml', date: new Date(now).toUTCString() });
    response.end(text);
  }

  #describe(method: string, asked: URLSearchParams) {
    if (method !== 'POST' || asked.get('Action') !== 'DescribeStacks' || asked.get('Version') !== '2010-05-15') {
      return failure(400, 'InvalidAction', 'Could not find operation for the version');
    }
    const name = asked.get('StackName') ?? '';
    const outputs = this.stacks.get(name);
    if (outputs === undefined) return failure(400, 'ValidationError', `Stack with id ${name} does not exist`);
    return { status: 200, text: described(name, outputs) };
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const failure = (status: number, code: string, message: string) => ({
  status,
  text: `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
  <Error>
    <Type>Sender</Type>
    <Code>${code}</Code>
    <Message>${escaped(message)}</Message>
  </Error>
  <RequestId>0a1b</RequestId>
</ErrorResponse>`,
});

/** As the service writes it: the members of one stack stand inside the member of the list of stacks. */
const described = (
  name: string,
  outputs: Outputs | null,
): string => `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
  <DescribeStacksResult>
    <Stacks>
      <member>
        <Tags>
          <member>
            <Value>${name}</Value>
            <Key>Url</Key>
          </member>
        </Tags>
        <StackName>${name}</StackName>
        ${
          outputs === null
            ? ''
            : `<Outputs>${Object.entries(outputs)
                .map(
                  ([key, value]) => `
          <member>
            <Description>Where &lt;it&gt; is</Description>
            <OutputKey>${key}</OutputKey>
            <OutputValue>${escaped(value)}</OutputValue>
          </member>`,
                )
                .join('')}
        </Outputs>`
        }
      </member>
    </Stacks>
  </DescribeStacksResult>
  <ResponseMetadata>
    <RequestId>0a1b</RequestId>
  </ResponseMetadata>
</DescribeStacksResponse>`;
