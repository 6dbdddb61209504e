/** What callers get and pay if a model provider fails, alone and in a route: observed, and as docs/models.md shows it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  failureTable,
  type FailureName,
  type Observed,
  observeFailures,
  prepareFailures,
} from '../support/models/fallback.ts';
import { type ModelWorld, startModelWorld } from '../support/models/model-world.ts';
import {
  ANSWER,
  type ScriptedUpstream,
  startScriptedUpstream,
  USAGE,
} from '../support/models/scripted-upstream.ts';

/** The first text has reached the caller, so no other model can be tried. */
const AFTER_FIRST_TEXT: FailureName[] = ['error-later', 'cut', 'stalls'];
/** The caller's fault, or the operator's: another model would hide it. */
const FINAL: FailureName[] = ['unauthorized', ...AFTER_FIRST_TEXT];

let world: ModelWorld;
let upstream: ScriptedUpstream;
let observed: Observed[];

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  world = await startModelWorld();
  await prepareFailures(world, upstream);
  observed = await observeFailures(world, upstream);
});
afterAll(async () => {
  await world?.stop();
  await upstream?.[Symbol.asyncDispose]();
});

const isRescued = ({ route, failure }: Observed): boolean => route && !FINAL.includes(failure);
const getName = ({ failure, stream, route }: Observed): string => [failure, stream, route].join();

test('a route tries its next model unless the caller has got something', () => {
  const rescued = observed.filter(isRescued);
  expect(rescued.map((one) => [getName(one), one.status, one.text, one.code])).toEqual(
    rescued.map((one) => [getName(one), 200, ANSWER, null]),
  );
  const final = observed.filter((one) => !isRescued(one));
  expect(final.map((one) => [getName(one), one.received[1]])).toEqual(final.map((one) => [getName(one), 0]));
});

test('each model is tried once', () => {
  expect(observed.filter(({ received }) => received.some((count) => count > 1))).toEqual([]);
});

test('a failed call is recorded as failed, and a rescued one with its attempts', () => {
  for (const one of observed) {
    expect
      .soft([getName(one), one.recorded.outcome])
      .toEqual([getName(one), isRescued(one) ? 'succeeded' : 'failed']);
    expect
      .soft([getName(one), one.recorded.attempts?.length ?? 0])
      .toEqual([getName(one), one.route ? (isRescued(one) ? 2 : 1) : 0]);
  }
});

test('only what a model has said is billed, once', () => {
  for (const one of observed) {
    const { input_tokens: input, output_tokens: output, is_estimated: isEstimated } = one.recorded;
    if (isRescued(one))
      expect
        .soft([getName(one), input, output, isEstimated])
        .toEqual([getName(one), USAGE.input, USAGE.output, false]);
    else if (AFTER_FIRST_TEXT.includes(one.failure))
      expect.soft([getName(one), output > 0, isEstimated]).toEqual([getName(one), true, true]);
    else expect.soft([getName(one), input, output]).toEqual([getName(one), 0, 0]);
  }
});

test('a response that is incomplete never looks complete', () => {
  for (const one of observed.filter((each) => AFTER_FIRST_TEXT.includes(each.failure)))
    expect.soft([getName(one), one.code !== null || !one.isComplete]).toEqual([getName(one), true]);
});

test('docs/models.md shows it', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/models.md'), 'utf8');
  expect(page).toContain(failureTable(observed));
});
