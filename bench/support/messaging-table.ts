/** What became of messages under kills, as a table. */
import type { MessagingReport } from '../../test/support/messaging-rounds.ts';
import { markdownTable, median } from './figure.ts';

export function messagingTable(report: MessagingReport): string {
  const { server, postmaster, both, start } = report.kills;
  return markdownTable(
    [
      'kills (server, postmaster, both, while starting)',
      'of the channel',
      'acknowledged',
      'unanswered, but done',
      'without a good end',
      'lost',
      'doubled',
      'delivery_unknown',
      'out of order',
      'sent by the other end',
      'of these not taken in',
      'taken in twice',
      'taken in out of order',
      'next message after a kill, median (longest) ms',
    ],
    [
      [
        `${server + postmaster + both + start} (${server}, ${postmaster}, ${both}, ${start})`,
        report.channelKills,
        report.acknowledged,
        report.unanswered,
        report.unfinished.length,
        report.lost,
        report.doubled,
        report.unknown,
        report.misordered,
        report.spoken,
        report.unheard,
        report.heardTwice,
        report.heardMisordered,
        `${median(report.outages).toFixed(0)} (${Math.max(...report.outages).toFixed(0)})`,
      ],
    ],
  );
}
