import { nameProblem } from '../../shared/model/names.ts';
import { defineCommand } from '../command.ts';
import { CliError, EXIT } from '../exit-codes.ts';

export const consoleCommand = defineCommand({
  name: 'console',
  summary: 'Serve the console of an engine elsewhere on this machine; its calls carry your credentials',
  options: {
    env: {
      type: 'string',
      value: 'NAME',
      help: 'the environment: its URL is --url, KAGZI_URL_<NAME>, or what the stack kagzi-NAME says',
    },
    port: { type: 'string', value: 'PORT', help: 'to listen on, at 127.0.0.1; a free one if not given' },
  },
  notes: [
    'The stack is asked for with your AWS credentials (cloudformation:DescribeStacks), in --region, AWS_REGION or your profile’s.',
    'Open the address that is printed; it begins at --namespace. It holds a secret of this start: whoever has it acts as you until you stop it.',
    'The engine of `kagzi dev` and `npm start` serves its console itself, at /console/.',
  ],
  async run(terminal, _args, { env, port = '0' }) {
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new CliError(`--port ${port} is no port.`);
    const wrong = nameProblem('namespace', terminal.namespace);
    if (wrong !== null) throw new CliError(`--namespace: ${wrong}.`);
    const api = terminal.connect();
    const { startConsoleProxy } = await import('../../local/console-proxy.ts');
    const proxy = await startConsoleProxy({
      port: Number(port),
      namespace: terminal.namespace,
      engine: { name: env ?? new URL(terminal.url).host, url: terminal.url },
      forward: (call) => api.forward(call),
    });
    terminal.print(proxy.url);
    terminal.note(`The console of ${terminal.url}. Stop with Ctrl-C.`);
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    });
    await proxy.stop();
    return EXIT.ok;
  },
});
