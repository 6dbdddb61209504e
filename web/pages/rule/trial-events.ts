/** The events that a rule can be tried with. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { eventsQuery, storedEventTypesQuery } from '../../api/events.ts';
import type { EventObject, EventType } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { coversAny } from '../webhooks/event-patterns.ts';
import type { WithEvent } from './use-rule-trial.ts';

const RECENT = 12;

interface ChosenEvent {
  with: WithEvent;
  event: Record<string, unknown>;
}

/** Before the type, where an event is the sample of one. */
export const SAMPLE = 'sample:';
export const keyOf = (chosen: WithEvent): string =>
  'event_id' in chosen ? chosen.event_id : `${SAMPLE}${chosen.event_type}`;

const ofEvent = (event: EventObject): ChosenEvent => ({ with: { event_id: event.id }, event: { ...event } });
const ofSample = ({ id, sample }: EventType): ChosenEvent => ({ with: { event_type: id }, event: sample });

/**
 * What there is to try it with. The one that was chosen stays, as long as the rule is for its type; at first the newest of
 * the log, else a sample.
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
  const known = recent.filter(({ type }) => coversAny(patterns, type)).slice(0, RECENT);
  const all = [...known.map(ofEvent), ...samples.map(ofSample)];
  const current = all.find((one) => keyOf(one.with) === chosen) ?? all[0] ?? null;
  return { current, recent: known, samples };
}
