import { describe, expect, it } from 'vitest';
import { type EnvironmentName, selectEnvironment } from '../../infra/environments.ts';
import { INDEXES, TTL_ATTRIBUTE } from '../../shared/ports/table.ts';
import { context, templateOf } from './synthesised.ts';

const tableOf = (name: EnvironmentName) => {
  const tables = Object.values(templateOf(name).findResources('AWS::DynamoDB::Table'));
  expect(tables).toHaveLength(1);
  return tables[0] as { Properties: Record<string, unknown>; DeletionPolicy: string; UpdateReplacePolicy: string };
};
const keySchema = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];

describe('the run table', () => {
  const { Properties: properties } = tableOf('dev');

  it('is keyed by pk and sk', () => {
    expect(properties['KeySchema']).toEqual(keySchema('pk', 'sk'));
  });

  it('has exactly the indexes of the Table port, keys only', () => {
    expect(properties['GlobalSecondaryIndexes']).toEqual(
      Object.entries(INDEXES).map(([IndexName, { hash, range }]) => ({
        IndexName,
        KeySchema: keySchema(hash, range),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    );
    expect(properties['LocalSecondaryIndexes']).toBeUndefined();
  });

  it('declares every key as a string, and nothing else', () => {
    const keys = ['pk', 'sk', ...Object.values(INDEXES).flatMap(({ hash, range }) => [hash, range])];
    const declared = properties['AttributeDefinitions'] as { AttributeName: string; AttributeType: string }[];
    expect([...declared].sort((a, b) => a.AttributeName.localeCompare(b.AttributeName))).toEqual(
      keys.sort().map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    );
  });

  it('expires items by the TTL attribute of the Table port', () => {
    expect(properties['TimeToLiveSpecification']).toEqual({ AttributeName: TTL_ATTRIBUTE, Enabled: true });
  });

  it('is paid per request', () => {
    expect(properties['BillingMode']).toBe('PAY_PER_REQUEST');
    expect(properties['ProvisionedThroughput']).toBeUndefined();
  });
});

describe('by environment', () => {
  it.each([
    ['dev', { protected: false, policy: 'Delete', recoveryDays: 1 }],
    ['staging', { protected: false, policy: 'Retain', recoveryDays: 7 }],
    ['prod', { protected: true, policy: 'Retain', recoveryDays: 35 }],
  ] as const)('%s guards its data as declared', (name, expected) => {
    const table = tableOf(name);
    expect(table.Properties['DeletionProtectionEnabled']).toBe(expected.protected);
    expect(table.DeletionPolicy).toBe(expected.policy);
    expect(table.UpdateReplacePolicy).toBe(expected.policy);
    expect(table.Properties['PointInTimeRecoverySpecification']).toEqual({
      PointInTimeRecoveryEnabled: true,
      RecoveryPeriodInDays: expected.recoveryDays,
    });
  });

  // SSEEnabled false is the key AWS owns: encrypted all the same, but free and without an audit trail.
  it('prod encrypts with the key AWS manages in the account', () => {
    templateOf('prod').hasResourceProperties('AWS::DynamoDB::Table', { SSESpecification: { SSEEnabled: true } });
    templateOf('dev').hasResourceProperties('AWS::DynamoDB::Table', { SSESpecification: { SSEEnabled: false } });
  });

  it('answers the name of the table', () => {
    templateOf('dev').hasOutput('TableName', {});
  });
});

describe('choosing an environment', () => {
  it('falls back to dev, so that nobody deploys prod by forgetting', () => {
    expect(context.env).toBe('dev');
  });

  it.each(['production', '', undefined, 'toString'])('refuses %s and names the choices', (name) => {
    expect(() => selectEnvironment(name, context.environments)).toThrow('choose with -c env=dev|staging|prod');
  });

  it('says which environment is not declared', () => {
    expect(() => selectEnvironment('prod', {})).toThrow('cdk.json declares no environment "prod"');
    expect(() => selectEnvironment('prod', undefined)).toThrow('cdk.json declares no environment "prod"');
  });

  it('names what is wrong in a declaration', () => {
    const wrong = { dev: { ...context.environments['dev'], recoveryDays: 36, typo: 1 } };
    expect(() => selectEnvironment('dev', wrong)).toThrow(/recoveryDays|typo/);
  });
});
