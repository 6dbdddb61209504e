/** The events that a rule can be tested with. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { eventsQuery, eventTypeQuery, storedEventTypesQuery } from '../../api/events.ts';
import type { EventObject } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { coversAny } from '../webhooks/event-patterns.ts';
import type { WithEvent } from './use-rule-trial.ts';

const MAX_RECENT = 12;

export interface TrialEvent {
  with: WithEvent;
  event: Record<string, unknown>;
}

/** Prefix of keys of sample events. */
export const SAMPLE = 'sample:';
type Listed = Exclude<WithEvent, { custom_event: unknown }>;
const getEventKey = (listed: Listed): string =>
  'event_id' in listed ? listed.event_id : `${SAMPLE}${listed.event_type}`;

const fromEvent = (event: EventObject): TrialEvent => ({
  with: { event_id: event.id },
  event: { ...event },
});

/**
 * Returns the events to choose from. The chosen one stays selected while the rule listens to its type; otherwise the
 * newest event of the log is used, or a sample.
 */
export function useTrialEvents(patterns: readonly string[], chosen: string | null) {
  const { workspace } = useWorkspace();
  const mayRead = useCan('events:read');
  const { data: types = [] } = useQuery(storedEventTypesQuery(workspace.id));
  const { data: recent = [] } = useInfiniteQuery({
    ...eventsQuery(workspace.id, { type: patterns.join(',') }),
    enabled: mayRead && patterns.length > 0,
    retry: false,
  });
  const samples = types.filter(({ id }) => coversAny(patterns, id));
  const known = recent.filter(({ type }) => coversAny(patterns, type)).slice(0, MAX_RECENT);
  const all: Listed[] = [
    ...known.map(({ id }) => ({ event_id: id })),
    ...samples.map(({ id }) => ({ event_type: id })),
  ];
  const picked = all.find((one) => getEventKey(one) === chosen) ?? all[0];
  const type = picked && 'event_type' in picked ? picked.event_type : undefined;
  const { data: details } = useQuery({
    ...eventTypeQuery(workspace.id, type ?? ''),
    enabled: type !== undefined,
  });
  const logged = known.find(({ id }) => picked && 'event_id' in picked && picked.event_id === id);
  const sample: TrialEvent | null =
    type !== undefined && details ? { with: { event_type: type }, event: details.sample } : null;
  const current = logged ? fromEvent(logged) : sample;
  return { current, key: picked && getEventKey(picked), recent: known, samples };
}
