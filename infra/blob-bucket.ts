import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { explainFinding } from './explain-finding.ts';

export interface BlobBucketProps {
  readonly keepDataOnDelete: boolean;
  /** How long what was deleted or overwritten can be had back, as far back as the table can. */
  readonly recoveryDays: number;
  readonly encryptionKey?: IKey | undefined;
}

/** Payloads too large for the table. The engine deletes them with their runs; versions outlast that by the recovery days. */
export class BlobBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { keepDataOnDelete, recoveryDays, encryptionKey }: BlobBucketProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: true,
      lifecycleRules: [
        {
          noncurrentVersionExpiration: Duration.days(recoveryDays),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
          expiredObjectDeleteMarker: true,
        },
      ],
      removalPolicy: keepDataOnDelete ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      ...(encryptionKey === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
    });
    explainFinding(
      this.bucket,
      'S1',
      'Only the functions of the engine reach it; access logs of a payload store would cost more than it and be read by nobody. Data events of CloudTrail show who read what, where that is wanted.',
    );
  }
}
