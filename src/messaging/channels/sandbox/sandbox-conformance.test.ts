import { describeDriver } from '../conformance/suite.ts';
import { startSandboxHarness } from './testing/sandbox-harness.ts';

describeDriver('sandbox', startSandboxHarness, process.env['CONFORMANCE'] === 'write');
