/** Asks before what was not saved is left behind: within the console, and by closing the page. */
import { useBlocker } from '@tanstack/react-router';
import { LeaveDialog } from './LeaveDialog.tsx';

/**
 * @param isUnsaved read when somebody is about to leave
 * @returns the question, to be rendered by the page
 */
export function useLeaving(isUnsaved: () => boolean): React.ReactNode {
  const blocker = useBlocker({
    // Filters and tabs of the same page leave nothing behind.
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  return (
    <LeaveDialog
      opened={blocker.status === 'blocked'}
      onStay={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  );
}
