/** Whether what came of rounds of kills is as it must be (messaging-rounds.ts). */
import type { MessagingReport, MessagingWorld } from './messaging-rounds.ts';

/** What is wrong with a report, in words; empty when nothing is. */
export function getErrors(report: MessagingReport, world: MessagingWorld): string[] {
  const { acknowledged, unfinished, lost, doubled, unknown, misordered, left, leftOver, strange } = report;
  const faults: [boolean, string][] = [
    [acknowledged === 0, 'nothing was acknowledged'],
    [unfinished.length > 0, `${unfinished.length} without a good end: ${unfinished.slice(0, 5).join('; ')}`],
    [lost > 0, `${lost} lost`],
    [doubled > 0 && !world.isUncertain, `${doubled} doubled`],
    [unknown > 0 && !world.isUncertain, `${unknown} of unknown delivery`],
    [misordered > 0 && world.keepsOrder, `${misordered} before an earlier one of their chat`],
    [report.unheard > 0, `${report.unheard} that the other end sent were not taken in`],
    [report.heardTwice > 0, `${report.heardTwice} that the other end sent were taken in twice`],
    [
      report.heardMisordered > 0 && world.keepsOrder,
      `${report.heardMisordered} that the other end sent were taken in before earlier ones`,
    ],
    [left.length > 0, `left: ${left.join(', ')}`],
    [report.failedStarts > 0, `${report.failedStarts} failed starts`],
    [leftOver.length > 0, `left over: ${leftOver.join('; ')}`],
    [strange.length > 0, `strange: ${[...new Set(strange)].slice(0, 5).join('; ')}`],
  ];
  return faults.filter(([is]) => is).map(([, text]) => text);
}
