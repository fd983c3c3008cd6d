import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { EngineStack } from '../../infra/engine-stack.ts';
import { KagziEngine } from '../../infra/kagzi-engine.ts';
import { actionsOf, type Statement, statementsOf } from './statements.ts';
import { context, environmentOf, flat, resources, templateWith } from './synthesised.ts';

const policyOf = (template: Template): readonly Statement[] => {
  const [key] = resources(template, 'AWS::KMS::Key');
  const policy = key?.Properties['KeyPolicy'] as { Statement: Statement[] } | undefined;
  return policy?.Statement ?? [];
};
const forLogs = (statements: readonly Statement[]): readonly Statement[] =>
  statements.filter((statement) => JSON.stringify(statement).includes('kms:EncryptionContext:aws:logs:arn'));

describe('a customer-managed key', () => {
  const environment = { ...environmentOf('dev'), encryption: 'customer-managed' } as const;
  const template = Template.fromStack(new EngineStack(new App({ context }), environment));
  const [id = ''] = Object.keys(template.findResources('AWS::KMS::Key'));
  const arn = { 'Fn::GetAtt': [id, 'Arn'] };

  it('is one, and rotates', () => {
    expect(resources(template, 'AWS::KMS::Key')).toMatchObject([{ Properties: { EnableKeyRotation: true } }]);
  });

  it('encrypts the table, the bucket, every queue and every log group', () => {
    template.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: arn });
    template.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: arn });
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: arn },
    });
    const [bucket] = resources(template, 'AWS::S3::Bucket');
    expect(JSON.stringify(bucket?.Properties['BucketEncryption'])).toContain(JSON.stringify(arn));
  });

  it('can be used by every function, and by the schedules that send to the encrypted queue', () => {
    const uses = (statements: readonly Statement[]) =>
      statements.filter((each) => actionsOf(each).some((action) => action.startsWith('kms:')));
    for (const name of ['api', 'wake', 'watchdog', 'dead-letters', 'worker-examples']) {
      const [use, ...others] = uses(statementsOf(template, `kagzi-dev-${name}`));
      expect(others).toEqual([]);
      expect(use?.Resource).toEqual(arn);
      expect(use && actionsOf(use)).toEqual(expect.arrayContaining(['kms:Decrypt', 'kms:GenerateDataKey']));
    }
    const timers = resources(template, 'AWS::IAM::Policy').find(({ Properties }) =>
      JSON.stringify(Properties['Roles']).includes('Timers'),
    );
    const policy = timers?.Properties['PolicyDocument'] as { Statement: Statement[] } | undefined;
    expect(uses(policy?.Statement ?? [])).toMatchObject([
      { Action: ['kms:GenerateDataKey', 'kms:Decrypt'], Resource: arn },
    ]);
  });

  it('can be used by CloudWatch Logs, for the log groups of the engine alone', () => {
    const [statement, ...others] = forLogs(policyOf(template));
    expect(others).toEqual([]);
    const condition = statement?.Condition as { ArnLike: Record<string, unknown> };
    const pattern = flat(condition.ArnLike['kms:EncryptionContext:aws:logs:arn']);
    expect(pattern).toMatch(/:log-group:\/aws\/\*\/kagzi-dev\*$/);
    for (const { Properties } of resources(template, 'AWS::Logs::LogGroup')) {
      expect(Properties['LogGroupName']).toMatch(/^\/aws\/[^/]+\/kagzi-dev/);
    }
  });

  it('is kept where the data is kept', () => {
    const keyWith = (keepDataOnDelete: boolean) =>
      resources(templateWith({ encryption: 'customer-managed', keepDataOnDelete }), 'AWS::KMS::Key')[0];
    expect(keyWith(true)?.DeletionPolicy).toBe('Retain');
    expect(keyWith(false)?.DeletionPolicy).toBe('Delete');
  });
});

describe('a key that is given', () => {
  it('is taken in place of a new one, and its policy lets CloudWatch Logs use it', () => {
    const stack = new Stack(new App({ context }), 'own');
    const encryptionKey = new Key(stack, 'Mine', { enableKeyRotation: true });
    new KagziEngine(stack, 'Engine', { environmentName: 'own', encryption: 'customer-managed', encryptionKey });
    const template = Template.fromStack(stack);
    expect(resources(template, 'AWS::KMS::Key')).toHaveLength(1);
    expect(forLogs(policyOf(template))).toHaveLength(1);
  });

  it('is not there unless asked for', () => {
    const template = templateWith({});
    template.resourceCountIs('AWS::KMS::Key', 0);
    expect(JSON.stringify(template.toJSON())).not.toContain('kms:');
  });
});
