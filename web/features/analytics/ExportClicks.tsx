/** Exports clicks over time, if there are any. */
import { useQuery } from '@tanstack/react-query';
import { analyticsExportPath, type AnalyticsQuery, analyticsQuery } from '../../api/analytics.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ExportButton } from '../../patterns/ExportButton.tsx';

export function ExportClicks({ asked }: { asked: AnalyticsQuery }) {
  const { workspace } = useWorkspace();
  // The page below asks for them.
  const { data } = useQuery({ ...analyticsQuery(workspace.id, asked), enabled: false });
  if (data?.totals.clicks === 0 && data.totals.bot_clicks === 0) return null;
  return <ExportButton path={analyticsExportPath(asked)} fileName="clicks-by-time.csv" />;
}
