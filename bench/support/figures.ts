/** All figures by name, those that take longest first. Each is loaded alone: one needs little of what all need. */
import type { Bench } from './figure.ts';

export const FIGURES: Record<string, () => Promise<Bench>> = {
  redirects: async () => (await import('../figures/redirects.ts')).redirects,
  start: async () => (await import('../figures/start.ts')).start,
  analytics: async () => (await import('../figures/analytics.ts')).analytics,
  'delivery-rate': async () => (await import('../figures/delivery-rate.ts')).deliveryRate,
  messaging: async () => (await import('../figures/messaging.ts')).messaging,
  'link-clicked': async () => (await import('../figures/link-clicked.ts')).linkClicked,
  'link-lists': async () => (await import('../figures/link-lists.ts')).linkLists,
  'delivery-isolation': async () => (await import('../figures/delivery-isolation.ts')).deliveryIsolation,
  'delivery-latency': async () => (await import('../figures/delivery-latency.ts')).deliveryLatency,
  me: async () => (await import('../figures/me.ts')).me,
  messages: async () => (await import('../figures/messages.ts')).messages,
  publish: async () => (await import('../figures/publish.ts')).publish,
  links: async () => (await import('../figures/links.ts')).links,
  templates: async () => (await import('../figures/templates.ts')).templates,
  connections: async () => (await import('../figures/connections.ts')).connections,
  memory: async () => (await import('../figures/memory.ts')).memory,
  clicks: async () => (await import('../figures/clicks.ts')).clicks,
  media: async () => (await import('../figures/media.ts')).media,
  'install-size': async () => (await import('../figures/install-size.ts')).installSize,
  'code-size': async () => (await import('../figures/code-size.ts')).codeSize,
  'test-times': async () => (await import('../figures/test-times.ts')).testTimes,
  'console-size': async () => (await import('../figures/console-size.ts')).consoleSize,
};
