/** What every driver must do, by the bridges of docs/http-channel.md. */
import { describe } from 'vitest';
import { HAS_PYTHON } from '../support/channels/http/bridges.ts';
import { startHttpHarness } from '../support/channels/http/http-harness.ts';
import { needs } from '../support/needs.ts';
import { describeDriver } from './suite/suite.ts';

const WRITES = process.env['CONFORMANCE'] === 'write';

describe('the bridge in TypeScript', () => {
  describeDriver('http', () => startHttpHarness('TypeScript'), WRITES);
});

describe('the bridge in Python', needs('Python (python3)', HAS_PYTHON), () => {
  describeDriver('http', () => startHttpHarness('Python'), WRITES);
});
