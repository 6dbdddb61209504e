import { describeDriver } from './suite/suite.ts';
import { startSandboxHarness } from '../support/channels/sandbox/sandbox-harness.ts';

describeDriver('sandbox', startSandboxHarness, process.env['CONFORMANCE'] === 'write');
