/**
 * The loop guard of flows that publish received messages, as script text. A publication sends messages, and an
 * auto-responder, a bot or another instance of the workspace may reply to them, which would publish again.
 *
 * `guard(event, started, now)` takes a `message.received` event, the state of the call before (undefined at first)
 * and the time in milliseconds. It returns whether the event must not be published, and the new state. Nothing in an
 * event tells a bot or another instance from a person, so a chat may also start only so many publications a minute: a
 * loop ends there, because a message that isn't published gets no reply.
 */
export const LOOP_GUARD_SOURCE = `const MAX_PER_CHAT = 5;
const WINDOW_MS = 60000;
function guard(event, started, now) {
  const { chat, direction, automatic } = event.data.object;
  const recent = (started || []).filter(({ at }) => now - at < WINDOW_MS);
  const isLoop =
    direction !== 'inbound' ||
    automatic !== null || // an absence note, a program, a mailing list
    event.caused_by !== null || // a rule of Fairlead
    recent.filter(({ id }) => id === chat.id).length >= MAX_PER_CHAT;
  return { isLoop, started: isLoop ? recent : [...recent, { id: chat.id, at: now }] };
}
`;
