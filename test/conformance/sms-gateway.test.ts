/** What every driver must do, by a gateway that was made up for it. */
import { startGatewayHarness } from '../support/channels/sms-gateway/gateway-harness.ts';
import { describeDriver } from './suite/suite.ts';

describeDriver('sms_gateway', startGatewayHarness, process.env['CONFORMANCE'] === 'write');
