import { describe, expect, it } from 'vitest';
import { Logger, type LoggerOptions } from '../../local/logger.ts';

const capture = (options: Partial<LoggerOptions> = {}) => {
  const lines: string[] = [];
  const now = () => Date.UTC(2030, 0, 2, 3, 4, 5, 6);
  const logger = new Logger({ level: 'debug', format: 'json', now, write: (line) => lines.push(line), ...options });
  return { logger, lines };
};

describe('JSON logs', () => {
  it('are one object per line: time, level, message, fields', () => {
    const { logger, lines } = capture();
    logger.log('info', 'run started', { runId: 'r1', attempt: 2, late: false, parent: null });
    expect(lines).toEqual([
      '{"time":"2030-01-02T03:04:05.006Z","level":"info","message":"run started","runId":"r1","attempt":2,"late":false,"parent":null}\n',
    ]);
  });

  it('stay on one line whatever the text', () => {
    const { logger, lines } = capture();
    logger.log('warn', 'a\nb', { reason: 'c\r\nd' });
    expect(lines.join('').match(/\n/g)).toHaveLength(1);
  });

  it('keep time, level and message when a field has their name', () => {
    const { logger, lines } = capture();
    logger.log('error', 'true message', { level: 'debug', message: 'forged', time: 0, kept: 1 });
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: '2030-01-02T03:04:05.006Z',
      level: 'error',
      message: 'true message',
      kept: 1,
    });
  });

  it('carry the fields a logger was bound to', () => {
    const { logger, lines } = capture();
    logger.with({ correlationId: 'c1' }).with({ traceId: 't1' }).log('info', 'request', { status: 200 });
    logger.log('info', 'other');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ correlationId: 'c1', traceId: 't1', status: 200 }),
      expect.not.objectContaining({ correlationId: 'c1' }),
    ]);
  });
});

describe('pretty logs', () => {
  it('are a line for people', () => {
    const { logger, lines } = capture({ format: 'pretty' });
    logger.log('warn', 'worker is stale', { workerId: 'w1', reason: 'no heartbeat', ageMs: 31000 });
    expect(lines).toEqual([
      '2030-01-02T03:04:05.006Z WARN  worker is stale workerId=w1 reason="no heartbeat" ageMs=31000\n',
    ]);
  });

  it('let no message forge a line or drive the terminal', () => {
    const { logger, lines } = capture({ format: 'pretty' });
    logger.log('info', 'a\n2030 ERROR forged \u001b[2J', { 'x\ny': '\u009b1m' });
    expect(lines).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(lines[0]?.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });
});

describe('the level', () => {
  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ] as const)('%s lets through %j', (level, expected) => {
    const { logger, lines } = capture({ level });
    for (const each of ['debug', 'info', 'warn', 'error'] as const) logger.log(each, 'x');
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(expected);
  });
});
