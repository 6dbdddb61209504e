import { describe, expect, it } from 'vitest';
import { SCOPES } from './scopes.ts';
import { CATALOG, EVENT_TYPES, typesMatching, typesVisibleTo } from './event-catalog.ts';
import { LIVE_CATALOG, LIVE_TYPES, liveTypesMatching, liveTypesVisibleTo } from './live-catalog.ts';

describe('event catalog', () => {
  it('names a type by its noun and a verb, and a scope that exists', () => {
    for (const type of EVENT_TYPES) {
      expect(type).toMatch(/^(ping|[a-z_]+\.[a-z_]+)$/);
      expect(SCOPES).toHaveProperty([CATALOG[type].scope]);
    }
  });

  it('has every type that this surface promises', () => {
    expect(EVENT_TYPES).toEqual(
      expect.arrayContaining([
        ...['created', 'updated', 'deleted'].map((verb) => `workspace.${verb}`),
        ...['added', 'updated', 'removed'].map((verb) => `member.${verb}`),
        ...['created', 'accepted', 'revoked'].map((verb) => `invitation.${verb}`),
        ...['created', 'updated', 'rotated', 'revoked'].map((verb) => `api_key.${verb}`),
        'ping',
      ]),
    );
  });

  it('shows only what the scopes allow', () => {
    expect(typesVisibleTo(new Set(['events:read', 'members:read']))).toEqual(
      EVENT_TYPES.filter((type) => /^(member|invitation|import|ping)/.test(type)),
    );
  });

  it('reads patterns', () => {
    expect(typesMatching('*')).toEqual(EVENT_TYPES);
    expect(typesMatching('member.*')).toEqual(['member.added', 'member.updated', 'member.removed']);
    expect(typesMatching('api_key.created')).toEqual(['api_key.created']);
    expect(typesMatching('api_key.createt')).toBeNull();
    expect(typesMatching('nobody.*')).toBeNull();
    expect(typesMatching('mem*')).toBeNull();
  });
});

describe('catalog of what comes on the stream alone', () => {
  it.each(LIVE_TYPES)('%s: names a scope that exists', (type) => {
    expect(SCOPES).toHaveProperty([LIVE_CATALOG[type].scope]);
  });

  it('shares no name and no pattern of the log', () => {
    expect(LIVE_TYPES.filter((type) => (EVENT_TYPES as string[]).includes(type))).toEqual([]);
    expect(typesMatching('chat.typing')).toBeNull();
    expect(typesMatching('chat.*')).toEqual(['chat.updated']);
    expect(liveTypesMatching('chat.*')).toEqual(['chat.typing']);
    expect(liveTypesMatching('*')).toEqual(LIVE_TYPES);
    expect(['chat.updated', 'message.*', 'chat', 'c*', ''].flatMap(liveTypesMatching)).toEqual([]);
    expect(liveTypesVisibleTo(new Set(['events:read', 'contacts:read']))).toEqual(['contact.presence']);
  });
});
