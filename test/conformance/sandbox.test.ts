import { describeDriver } from '../../src/messaging/channels/conformance/suite.ts';
import { startSandboxHarness } from '../../src/messaging/channels/sandbox/testing/sandbox-harness.ts';

describeDriver('sandbox', startSandboxHarness, process.env['CONFORMANCE'] === 'write');
