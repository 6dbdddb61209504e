/**
 * Tests that the declarations of surfaces are complete: a type, quota or filter without its surface would be missing
 * silently.
 */
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../core/vocabulary/event-catalog.ts';
import { LIVE_TYPES } from '../core/vocabulary/live-catalog.ts';
import { QUOTA_RESOURCES } from '../core/workspaces/quota.ts';
import { COUNTERS, EVENT_KINDS, FILTER_TARGETS } from './surfaces.ts';

const ajv = new Ajv({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv) => void)(ajv);

describe('event payloads', () => {
  it.each([...EVENT_TYPES, ...LIVE_TYPES])('%s: the sample matches its schema', (type) => {
    const { data, sample } = EVENT_KINDS[type];
    ajv.validate(data, sample);
    expect(ajv.errors ?? []).toEqual([]);
  });

  it('rejects a sample that does not match', () => {
    expect(ajv.validate(EVENT_KINDS['member.added'].data, { object: { id: 'usr_1' } })).toBe(false);
  });

  it('covers each type of the catalogs and no other', () => {
    expect(Object.keys(EVENT_KINDS).toSorted()).toEqual([...EVENT_TYPES, ...LIVE_TYPES].toSorted());
  });
});

it('counts each resource that has a quota', () => {
  expect(QUOTA_RESOURCES.filter((resource) => typeof COUNTERS[resource] !== 'function')).toEqual([]);
});

it('looks up the value of each webhook filter', () => {
  expect(Object.keys(FILTER_TARGETS).toSorted()).toEqual(['instance_id', 'link_id', 'tag']);
});
