/** Starts the console in the page. */
import '@mantine/core/styles.layer.css';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './design/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, Suspense, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { sessionQuery } from './api/auth.ts';
import { importOrWait } from './api/import-or-wait.ts';
import { createQueryClient } from './api/query-client.ts';
import { forgetPerson, heldPage, holdsUnsaved } from './api/session-end.ts';
import { createConsoleRouter } from './app/router.tsx';
import { cssVariables, theme } from './design/theme.ts';
import { nonce } from './design/nonce.ts';
import { noticeStore } from './design/notify.ts';
import { lazily } from './patterns/lazily.ts';

const Notices = lazily(() => import('./app/Notices.tsx'), 'default');
const SessionEnded = lazily(() => import('./app/SessionEnded.tsx'), 'SessionEnded');

// The library that locks scrolling behind dialogs reads its nonce from this global.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const leave = () => {
  heldPage.set(false);
  forgetPerson();
  queryClient.setQueryData(sessionQuery.queryKey, null);
  void router.invalidate();
};
const resume = () => {
  heldPage.set(false);
  void queryClient.invalidateQueries();
};
const queryClient = createQueryClient(() => (holdsUnsaved() ? heldPage.set(true) : leave()));
const router = createConsoleRouter(queryClient);
// Requested immediately, while the code of the page loads.
void queryClient.prefetchQuery(sessionQuery);

function App() {
  const anyNotice = useSyncExternalStore(noticeStore.subscribe, noticeStore.everUsed);
  const isHeld = useSyncExternalStore(heldPage.subscribe, heldPage.get);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Suspense>{anyNotice && <Notices />}</Suspense>
        <Suspense>{isHeld && <SessionEnded onResume={resume} onLeave={leave} />}</Suspense>
      </QueryClientProvider>
    </MantineProvider>
  );
}

// Not needed to see a page.
setTimeout(() => void importOrWait(() => import('./design/tooltip.ts')), 1000);

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
