// One file, because loading the CDK takes longer than the tests.
import './bundles.ts';
import './run-table.ts';
import './permissions.ts';
import './template.ts';
import './constructs.ts';
import './data-key.ts';
import './run-events.ts';
